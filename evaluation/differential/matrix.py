"""Our verdict beside the opinion of each target, sample by sample."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from evaluation.differential.http_form import http_call
from evaluation.differential.samples import Sample
from evaluation.differential.targets import Answer, Target
from odata.validation import Validator, compile_validator, unknown_endpoint
from wire.call import Finding, Verdict

_CELLS = {
    (False, "rejects"): "both reject",
    (True, "accepts"): "both accept",
    (False, "accepts"): "only we reject",
    (True, "rejects"): "only the target rejects",
}


@dataclass
class Judged:
    """One sample with what everybody said. ``answers`` holds only targets that had an opinion worth counting."""

    sample: Sample
    accepted: bool
    findings: tuple[Finding, ...]
    answers: dict[str, Answer] = field(default_factory=dict)

    @property
    def named(self) -> bool:
        """Whether a finding has the rule that the mutant breaks, at its place."""
        return any(f.rule == self.sample.rule and f.pointer == self.sample.pointer for f in self.findings)

    def cell(self, target: str) -> str:
        """The field of the table."""
        return _CELLS[self.accepted, self.answers[target].opinion]


class Judge:
    """Judges the samples of one service after the other; compiled validators are kept for one contract at a time."""

    def __init__(self, targets: Sequence[Target], known: dict[str, list[str]]) -> None:
        self._targets, self._known = targets, known
        self._validators: dict[int, Validator] = {}
        self._bases: dict[int, dict[str, Answer]] = {}

    def judge(self, samples: Iterable[Sample]) -> list[Judged]:
        """All samples of one service, in order: a base comes before what is made from it."""
        self._validators.clear()
        self._bases.clear()
        return [self._one(sample) for sample in samples]

    def _one(self, sample: Sample) -> Judged:
        verdict = self._verdict(sample)
        judged = Judged(sample, verdict.kind != "invalid", verdict.findings)
        http = http_call(sample.contract, sample.call)
        control = self._bases.get(sample.base)
        for target in self._targets:
            if not target.hosts(sample.call.service, sample.contract.version):
                continue
            # A target that refuses the valid call says nothing about what is made from it.
            if control is not None and sample.kind != "valid" and control[target.name].opinion == "rejects":
                continue
            answer = target.ask(sample, http)
            if sample.kind == "valid":
                self._bases.setdefault(sample.number, {})[target.name] = answer
            if answer.opinion != "silent":
                judged.answers[target.name] = answer
        if sample.kind == "valid":
            self._bases.setdefault(sample.number, {})
        return judged

    def _verdict(self, sample: Sample) -> Verdict:
        call = sample.call
        known = self._known[call.service]
        if call.endpoint not in known:
            return unknown_endpoint(call, known, (), (sample.contract,))
        key = id(sample.contract)
        if key not in self._validators:
            self._validators[key] = compile_validator(sample.contract)
        return self._validators[key].validate(call)
