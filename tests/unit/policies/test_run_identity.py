"""Run ids, effect keys and mail ids are deterministic and never shared."""

from hypothesis import given
from hypothesis import strategies as st

from policies.run_identity import (
    RUN_ID,
    derive_run_id,
    effect_key,
    message_id,
    opaque_id,
    person_token,
    repeatability_id,
)
from wire.task import TaskRequest

texts = st.text(max_size=40)


def request(goal="order pumps", requester="rita", key=None, approvers=()):
    return TaskRequest(goal=goal, requester=requester, key=key, approvers=approvers)


@given(texts, texts)
def test_run_id_has_its_form_and_depends_on_the_goal(first, second):
    a, b = derive_run_id(request(first)), derive_run_id(request(second))
    assert RUN_ID.fullmatch(a)
    assert (a == b) == (first == second)


def test_a_key_alone_decides():
    assert derive_run_id(request(goal="a", key="k")) == derive_run_id(request(goal="b", key="k"))


def test_order_of_approvers_makes_no_second_run():
    assert derive_run_id(request(approvers=("ann", "ben"))) == derive_run_id(request(approvers=("ben", "ann")))


def test_requester_is_a_part_of_the_request():
    assert derive_run_id(request(requester="rita")) != derive_run_id(request(requester="ann"))


@given(st.integers(1, 99), st.integers(0, 9), st.text("abcdef0123456789", min_size=64, max_size=64))
def test_effect_key_names_the_call(step, review, digest):
    key = effect_key("run-x", step, review, "write", digest)
    assert key == f"run-x/{step}/{review}/write/{digest}"
    assert repeatability_id(key) == repeatability_id(key)


def test_mail_ids_cover_the_ledger_epoch():
    assert opaque_id("e1", "run-x", 1, 0, "d") != opaque_id("e2", "run-x", 1, 0, "d")
    assert message_id("e1", "k", 0, "x.example") != message_id("e2", "k", 0, "x.example")


def test_opaque_id_survives_case_folding_and_fits_a_local_part():
    opaque = opaque_id("e", "run-x", 1, 0, "d")
    assert opaque == opaque.lower()
    assert len(f"approvals+{opaque}") <= 64


def test_token_is_no_address():
    token = person_token("e", "ann@x.example")
    assert "ann" not in token
    assert "@" not in token
