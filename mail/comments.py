"""Is what stands below an approval harmless? Thanks, "as agreed", a cost centre, a signature: yes. Else we ask again.

What limits an approval can be said in more ways than any list holds; what says nothing new cannot. So a phrase counts as
harmless only when it is known to be.
"""

import re
import tomllib
import unicodedata
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources

from mail.keywords import fold
from mail.patterns import patterns

MOST_WORDS = 14
"""A longer phrase may hold anything beside its harmless beginning."""
MOST_AFTER = 4
MOST_AFTER_THANKS = 8
"""Words that may follow a cue."""

_PHRASE_END = re.compile(r"[,;，、；]\s*|[.!。！．।॥…](?:\s+|$|(?=[^\s\d]))|\s[-–—]\s|\s*[|·•]\s*|\n")
_BRACKETED = re.compile(
    r"<(?:https?:|mailto:|tel:|cid:)?[^<>\s]*[.:@/][^<>\s]*>|\[(?:cid|image|bild|imagen|immagine|imagem|afbeelding|obraz|logo|img|図|图)\b[^\[\]]*\]"
    r"|[:;]-?[)DP](?!\w)|\^\^"
)
_KIND_SIGNS = re.compile(
    "[👍👌🙏🙂😀😃😄😁😊😉😎😇🤗🥳🎉🎊✅✔☑👏💪🤝❤♥☺🚀⭐🌟✨💯🆗🙌😅☎📞📱📲📧✉📠🌐💻🖥🔗📍🏢🌲🌳🌱🌍🌎♻\U0001f3fb-\U0001f3ff\ufe0f\u200d\ufffc]+"
)
"""Signs that say yes, thanks or where somebody is found. Any other picture may say no."""
_ORNAMENT = re.compile(r"[-‐‑‒–—_=*~#.•·|+/\\\[\]{}<>:;,\"'“”„«»!！…。、\s━─═＿＝￣]*|\(?\)?")
_FROWN = re.compile(r"[:;=]-?[(/|\[{\\](?![/\w])|>:")
_LETTER = re.compile(r"[^\W\d_]")
_CASED = re.compile(r"[A-Za-zÀ-ÖØ-öø-ÿĀ-žА-я]")
_NAME = re.compile(
    r"^(?:(?:dr|prof|mr|mrs|ms|ing|dipl|herr|frau|mme|m|sr|sra|dott|dott\.ssa|pan|pani)\.?\s+)*"
    r"(?:[A-ZÀ-ÖØ-ÞĀ-Ž][\w'’.-]*\s*){1,4}$"
)
_ORDER = re.compile(
    r"^\W*(?:please(?! note| consider| think)|buy|ask|order|use|take|call|check|talk|pay|change"
    r"|reduce|add|remove|send|ship|cancel|contact|renegotiate"
    r"|bitte|nehmt|nimm|nehmen|kauf\w*|frag\w*"
    r"|bestell\w*|ruf\w*|prenez|achetez|demandez|appelez|veuillez|por favor"
    r"|compr[aeo]\w*|pregunt\w*|llam\w*|prendete|chied\w*|chiam\w*|pergunt\w*|ligu?e\w*|vraag|koop|neem"
    r"|bel|proszę|kup\w*|zapyta\w*|weź\w*|कृपया|કૃપા|请|請|改用|采用)(?!\w)",
    re.IGNORECASE,
)
"""Words that ask for something: below a name they are no signature."""
_PROXY = re.compile(
    r"^\W*(?:i\.\s?[AV]\.|ppa\.|p\.?p\.)\s*|\((?:she|he|they|sie|er|elle|il)(?:\s?/\s?\w+){1,2}\)", re.IGNORECASE
)
_POSTSCRIPT = re.compile(r"^\W*p\.?\s?s\.?\s*[:.]?", re.IGNORECASE)
CONTACT = re.compile(
    r"@[\w-]+\.|https?:|www\.|\+\d[\d\s()/.-]{7,}|^\W*(?:tel|telefon|phone|mobile?|mobil|fax|handy|cell|office|direct|t|m|f|d|o|p"
    r"|tél|teléfono|telefono|móvil|celular|cellulare|telefoon|電話|携帯|电话|手机|फोन|फ़ोन|मोबाइल|ફોન|મોબાઇલ)[\s.:：+]*(?:\d[\s()/.-]{0,3}){6,}",
    re.IGNORECASE,
)
_CARD = re.compile(
    r"(?<!\w)(?:gmbh|kgaa|ag|kg|ohg|e\.\s?v|ltd|limited|llc|llp|inc|plc|corporation|s\.?a\.?s?|sarl|s\.?l\.?u?|s\.?r\.?l|s\.?p\.?a|lda|ltda|b\.?v|n\.?v|sp\.\s?z\s?o\.\s?o|pvt|ust-?id\S*|hrb|vat)(?!\w)"
    r"|株式会社|有限公司|(?<!\w)(?:head|manager|director|leader|chief|officer|president|vp|ceo|cfo|coo|cto|controller|controlling|buyer|purchasing|procurement|finance"
    r"|accounting|department|dept|(?:team|abteilungs|bereichs|gruppen)?leiter(?:in)?|leitung|(?:zentral)?einkauf|buchhaltung|abteilung|geschäftsführ\w*|vorstand|prokurist(?:in)?"
    r"|responsable|direct(?:eur|rice)|achats|direc(?:tor|tora)|jef[ea]|compras|gerente|departamento|dire(?:tor|tora)|responsabile|dire(?:ttore|ttrice)|ufficio|acquisti"
    r"|consultant|berater(?:in)?|engineer|ingenieur\w*|analyst|assistant|assisten[tz]\w*|speciali[sz]t|spezialist\w*|[ck]oordinator\w*|partner|founder|inhaber\w*"
    r"|secretary|sekret\w+|it|hr|legal|sales|marketing|operations|logistics?|logistik|quality|vertrieb|verkauf|support|sourcing|hoofd|inkoop|afdeling|kierownik|dyrektor|dział\w*|zakup\w*)(?!\w)|प्रमुख|विभाग|प्रबंधक|વડા|વિભાગ|(?:課|部)長|[購営経総管][^\s]{0,4}[部課]|采购|经理|總監|总监|主管|部门"
    r"|(?:str\.|straße|strasse|\bstreet|\bst\.|\broad|\brd\.|\bavenue|\brue|\bcalle|\bvia|\brua|straat|\bul\.|\bplatz|\bweg|\bbox)\s*\d|^\W*(?:rua|rue|via|viale|calle|avenida|av\.|avenue|ul\.|piazza|plaza|praça|place)\s[^\d]{2,30}\d|\d{4,5}\s+[^\W\d_]|\b\d+\s(?:\w+\s)?(?:street|st|road|rd|avenue|ave|rue|lane|drive)\b",
    re.IGNORECASE,
)
"""What stands in a signature and nowhere else: forms of companies, titles, departments, addresses."""
_PROGRAM = re.compile(
    r"iphon|ipad|ios|apple|watch|galaxy|samsung|outlook|android|yahoo|proton|k-9|thunderbird|blackberry|huawei|xiaomi|redmi|oneplus|pixel|windows"
    r"|gmail|gmx|web\.de|spark|superhuman|tuta|nokia|xperia|honor|oppo|vivo|motorola|hcl|verse|notes|nine|icloud|zoho|foxmail|mailspring"
    r"|(?<!\w)(?:e-?)?mail|smartphone|mobilteil|handy|mobile?|unterwegs|siri|phone|網易|网易|邮箱|手机|手機|華為|华为|小米|メール|मेल|મેઇલ|फ़ोन|ફોન|courrier|correo|correio|poczt|posta|почт|пошт",
    re.IGNORECASE,
)
_THANKS = re.compile(r"thank|dank|merci|gracias|grazie|obrigad|bedankt|dzięk|谢|謝|ありがとう|धन्यवाद|शुक्रिया|આભાર")
_REFERENCE = re.compile(
    r"cost cent|kostenstelle|centre de co|centro de cost|centro de cust|centro di costo|kostenplaats|mpk|centrum koszt"
    r"|लागत केंद्र|ખર્ચ કેન્દ્ર|原価センタ|コストセンタ|成本中心"
    r"|(?:po|project|projekt|wbs|psp|order|auftrag|bestell|commande|projet|pedido|proyecto|progetto|ordine|commessa|encomenda"
    r"|projeto|zamówieni|zleceni|परियोजना|ऑर्डर|પ્રોજેક્ટ|ઓર્ડર|案件|注文|项目|订单|專案|訂單|合同|ticket|ref|dossier|expediente"
    r"|sprawa)\D{0,14}\d",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"\d|(?<!\w)(?:one|two|three|four|five|six|ten|both|half|zwei|drei|vier|fünf|zehn|beide|hälfte|deux|trois|quatre|cinq|dix|moitié"
    r"|dos|tres|cuatro|cinco|diez|mitad|due|tre|quattro|cinque|dieci|metà|dois|duas|três|quatro|dez|metade|twee|drie|vijf|tien|helft"
    r"|dwa|dwie|trzy|cztery|pięć|dziesięć|połow\w*|एक|दो|तीन|चार|पाँच|पांच|दस|आध\w*|એક|બે|ત્રણ|ચાર|પાંચ|દસ|અડધ\w*)(?!\w)"
    r"|[一二三四五六七八九十两兩]+(?:个|個|件|つ|行|本|台|枚|割|成|折)",
    re.IGNORECASE,
)
_BINDS = re.compile(
    r"(?<!\w)(?:with|when|while|where|for (?:line|item|position)|mit|avec|quand|con|cuando|quando|com|met"
    r"|wanneer|z|ze|kiedy|next|week|month|nächste\w*|woche|monat|prochain\w*|semaine|mois|próxim\w*|semana|mes|prossim\w*|settimana|mese"
    r"|mês|volgende|maand|przyszł\w*|tydzień|tygodni\w*|miesiąc\w*|सप्ताह|हफ्ते|महीने|અઠવાડિ\w*|મહિન\w*)(?!\w)|来週|来月|下周|下週|下个月|下個月",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"^\W*(?:(?:data )?(?:classification|classificazione|clasificación|classificação|klassifizierung|classificatie"
    r"|klasyfikacja|sensitivity"
    r"|vertraulichkeit|sicherheitsstufe|分类|分類|वर्गीकरण)\s*[:：].{1,60}"
    r"|(?:company |strictly )?(?:public|internal|intern|interne|interno|öffentlich"
    r"|internal use only|nur für den internen gebrauch|社外秘|内部)(?: use)?)\W*$",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class _Known:
    cues: re.Pattern[str]
    signoffs: re.Pattern[str]
    signed: re.Pattern[str]


def unsaid(lines: Collection[str], writer: Collection[str]) -> str | None:
    """The first phrase that is not known to be harmless, None when all are. ``writer``: names of the sender, folded."""
    for line, in_signature in _with_signature([line for line in lines if line.strip()], writer):
        if in_signature or _is_machinery(line):
            continue
        doubtful = next((phrase for phrase in _phrases(line) if not _is_harmless(phrase, writer)), None)
        if doubtful is not None:
            return doubtful
    return None


def unnamed(signature: list[str], writer: Collection[str]) -> str:
    """The first two lines below a ``-- `` line that names nobody: people set words of their own off like that."""
    lines = [line for line in signature if line.strip()][:2]
    if not lines or _opens_signature(lines[0], "", writer) or _is_machinery(lines[0]) or _is_signoff(lines[0]):
        return ""
    return " ".join(lines)


def counts(text: str) -> bool:
    """Does ``text`` name a number?"""
    return bool(_NUMBER.search(text))


def _is_signoff(line: str) -> bool:
    return bool(_known().signoffs.fullmatch(_stripped(line)))


def _with_signature(lines: list[str], writer: Collection[str]) -> Iterator[tuple[str, bool]]:
    """Each line, and whether it belongs to a signature: a name below a closing formula, or the writer's, and what follows."""
    signed = False
    for number, line in enumerate(lines):
        if _POSTSCRIPT.match(line):
            signed = False
        elif signed:
            signed = _belongs(line, lines[number + 1 : number + 4], writer)
        else:
            signed = _opens_signature(line, lines[number - 1] if number else "", writer)
        yield line, signed


def _belongs(line: str, following: list[str], writer: Collection[str]) -> bool:
    """Does a line below a name go on saying who wrote? A line that could say anything must stand above one that does."""
    if _ORDER.match(line):
        return False
    if CONTACT.search(line):
        return True
    if len(line.split()) > 12 or len(line) > 110:
        return False
    if _CARD.search(line) or _is_writer(line, writer) or _is_signoff(line) or _is_house(line, writer):
        return True
    return (
        _is_short(line)
        and bool(_LETTER.search(line))
        and any(CONTACT.search(other) or _CARD.search(other) for other in following)
    )


def _is_house(line: str, writer: Collection[str]) -> bool:
    """A line of at most four words that names the sender's domain: mostly the company."""
    words = re.findall(r"[^\W\d_]+", fold(line))
    return len(words) <= 4 and any(f"@{word}" in writer for word in words)


def _opens_signature(line: str, before: str, writer: Collection[str]) -> bool:
    if _is_writer(line, writer) or _is_formula_with_name(line):
        return True
    text = _stripped(before)
    if not before or not _known().signoffs.fullmatch(text):
        return bool(CONTACT.search(line)) and len(line.split()) <= 8
    if _CASED.search(line):
        # Any two capitalized words may be an order; a name is one that the sender has, or initials.
        return not writer and bool(_NAME.match(line.strip(" ,."))) or bool(re.fullmatch(r"[A-Z]{1,3}\.?", line.strip()))
    # Without capitals a name looks like any other word: only below a formula that closes a letter, not below thanks.
    return _is_short(line) and len(line) <= 24 and not _THANKS.search(text)


def _is_formula_with_name(line: str) -> bool:
    """A closing formula and a name on one line."""
    found = _known().signed.match(line)
    if found is None or _THANKS.search(found[0].casefold()):
        return False
    name = line[found.end() :].strip(" .")
    return bool(_NAME.match(name)) if _CASED.search(name) else 0 < len(name) <= 16 and len(name.split()) <= 2


def signed_only(line: str, writer: Collection[str]) -> bool:
    """Nothing but the sender's names, with or without a closing formula: somebody may be called Max."""
    kept = " ".join(word for word in _stripped(line).split() if word.strip(".,") not in writer)
    return bool(writer) and (not _LETTER.search(kept) or _is_signoff(kept)) and not re.search(r"\d", line)


def _is_writer(line: str, writer: Collection[str]) -> bool:
    """A line of at most five words that names the sender."""
    if re.search(r"\d", line):
        return False
    line = _PROXY.sub("", line)
    words = re.findall(r"[^\W\d_]+", fold(line))
    other = [word for word in re.findall(r"[^\W\d_]+", line) if fold(word) not in writer]
    named = len(other) < len(words) <= 5 and _is_short(line)
    return named and (all(word[0].isupper() for word in other) or bool(_CARD.search(line)))


def _is_short(line: str) -> bool:
    return len(line.split()) <= 10 and len(line) <= 90 and not re.search(r"[^\W\d_]{3,}[.!?。！？।]\s*$", line)


def _is_machinery(line: str) -> bool:
    plain = _without_signs(line)
    sent = (
        len(plain) <= 160
        and len(plain.split()) <= 20
        and bool(_PROGRAM.search(plain) and patterns().program_verb.search(plain))
    )
    return sent or bool(_LABEL.match(line))


def _without_signs(line: str) -> str:
    return _KIND_SIGNS.sub(" ", _BRACKETED.sub(" ", line)).strip()


def _phrases(line: str) -> list[str]:
    """What stands between full stops and commas; a number or a sign without any word is a phrase too, an ornament is none."""
    plain = _without_signs(line)
    if _FROWN.search(plain) and not _LETTER.search(plain):
        return [plain]
    parts = (part.strip() for part in _PHRASE_END.split(plain))
    return [part for part in parts if _LETTER.search(part) or not _ORNAMENT.fullmatch(part)]


def _is_harmless(phrase: str, writer: Collection[str]) -> bool:
    text = _stripped(phrase)
    if len(text.split()) > MOST_WORDS or "%" in text or "％" in text:
        return False
    found = _known().cues.search(text)
    if found is None:
        return bool(_known().signoffs.fullmatch(text)) or _is_writer(phrase, writer)
    # A number says how much, unless it names a cost centre, an order or a project.
    if _NUMBER.search(text) and not _REFERENCE.search(text):
        return False
    thanks = bool(_THANKS.search(found[0]))
    rest = text[found.end() :]
    return _size(rest) <= (MOST_AFTER_THANKS if thanks else MOST_AFTER) and (thanks or not _BINDS.search(rest))


def _size(text: str) -> int:
    """Words; in scripts without spaces three characters count as one."""
    unspaced = len(re.findall(r"[\u3040-\u9fff]", text))
    return len(re.findall(r"[^\W\d_]+", re.sub(r"[\u3040-\u9fff]", " ", text))) + -(-unspaced // 3)


def _stripped(text: str) -> str:
    return fold(text).strip(" \t.,!¡¿。！।…:：;~〜-–—*_\"'“”„«»()（）")


@cache
def _known() -> _Known:
    tables = tomllib.loads(resources.files("mail").joinpath("data/comments.toml").read_text(encoding="utf-8"))
    cues = "|".join(f"(?:{_placed(_like_text(cue))})" for table in tables.values() for cue in table["cues"])
    signoffs = "|".join(f"(?:{_like_text(signoff)})" for table in tables.values() for signoff in table["signoffs"])
    return _Known(
        re.compile(cues, re.IGNORECASE),
        re.compile(signoffs, re.IGNORECASE),
        re.compile(rf"(?:{signoffs})\s*[,，、.]\s*", re.IGNORECASE),
    )


def _like_text(expression: str) -> str:
    """As ``fold`` leaves text, but an expression's own letters (``\\W``) keep their case."""
    return unicodedata.normalize("NFC", expression).replace("ß", "ss")


def _placed(cue: str) -> str:
    """Where in a phrase a cue may stand: at its start, or after at most two words; one that ends the phrase is all of it."""
    if cue.endswith("$"):
        return f"^{cue}"
    if re.search(r"[\u3040-\u9fff]", cue):
        return f"^.{{0,6}}?{cue}"
    return rf"^(?:\S+\s+){{0,2}}?{cue}"
