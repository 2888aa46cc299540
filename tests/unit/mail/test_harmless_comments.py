"""Comments that begin as if they said nothing new, and signatures of all kinds."""

import pytest

from mail.keywords import languages_known, word_for
from mail.reply_parser import parse_reply

HEAD = "From: Ann Approver <ann@corp.example>\r\nTo: a@b.example\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n"
TEMPTING = {
    "en": [
        "Thanks, use Miller", "Good price but check freight", "Looks good with two changes", "Please proceed with three",
        "Go ahead after the audit", "ok for me, finance must agree", "Good for me when Bob is fine", "Go ahead with line one",
        "Looks fine, send to Hamburg", "Thanks\nOrder from Miller", "Great. Reduce it",
        "Ann\nthree pieces please", "Call Bob",
        "Best regards\nUse Miller",
        "Agreed for line 1", "All good apart from price", "As discussed with Rita we take three",
        "Best regards\nAnn\nPS: take the other one", "Is it right? Thanks", "With 10 % less, thanks",
    ],
    "de": [
        "Danke, nehmt Müller", "Passt, Preis bitte drücken", "Alles gut, Menge halb", "Sieht gut aus mit zwei Änderungen",
        "Danke\nBei Müller bestellen", "Wie besprochen drei Stück", "Geprüft, Fehler gefunden", "ok für Position eins",
        "Gerne nächste Woche", "Viele Grüße\nbitte Müller nehmen", "Einverstanden mit der Hälfte",
    ],
    "fr": ["Merci, prenez Miller", "Comme convenu trois pièces", "Merci d'attendre", "Merci de changer",
           "Très bien la semaine prochaine"],
    "es": ["Gracias, use Miller", "Perfecto, envíe a Madrid", "Adelante con la primera", "Revisado, hay un error"],
    "it": ["Grazie, prendete Miller", "Perfetto, spedite a Roma", "Chiamatemi prima."],
    "pt": ["Obrigada, usem Miller", "Perfeito, enviem ao Porto"],
    "nl": ["Bedankt, neem Miller", "Prima, lever in Utrecht"],
    "pl": ["Dzięki, weźcie Millera", "Super, wyślijcie do Gdańska", "Jak ustaliliśmy trzy"],
    "hi": ["धन्यवाद, मिलर से लें", "ठीक है, तीन भेजें"],
    "gu": ["આભાર, મિલર લો"],
    "ja": ["ありがとうございます、ミラー社で", "了解、三個で", "確認しました、誤りあり"],
    "zh": ["谢谢，用米勒", "很好，送上海", "好的，三个", "谢谢\n用米勒的", "继续第一行"],
}  # fmt: skip
HARMLESS = {
    "en": [
        "Thanks, Ann", "Best,\nAnn", "Please go ahead.", "Thanks for preparing this.", "Cost center 4711 please",
        "Have a nice weekend!",
        "Kind regards\nAnn Approver\nHead of Controlling\nCorp GmbH, Musterstr. 1, 12345 Berlin\nTel. +49 30 123456",
        "Ann Approver\nChief Financial Officer\nCorp GmbH\nHauptstraße 1, 10115 Berlin", "APPROVE",
    ],
    "de": [
        "Danke\nAnn", "Mit freundlichen Grüßen\nAnn Approver\nLeiterin Controlling", "Bitte bestellen", "Budget ist vorhanden.",
        "Viele Grüße aus München\nAnn", "Alles in Ordnung.",
        "Mit freundlichen Grüßen / Best regards\n\nAnn Approver\nCorp AG\nVorstand: A. Müller\n"
        "Sitz: Berlin, HRB 1234 B\nwww.corp.example",
    ],
    "fr": ["Merci,\nAnn", "Vous pouvez commander.", "OK pour moi"],
    "es": ["Un saludo,\nAnn", "Adelante, gracias"],
    "ja": ["よろしくお願いします。", "ありがとうございます"],
    "zh": ["谢谢", "请继续", "辛苦了"],
}  # fmt: skip


def answers(language: str, comments: list[str]) -> list[str]:
    """What a yes with each comment below it says."""
    texts = [f"{word_for('approve', language)}\n\n{comment}".replace("\n", "\r\n") for comment in comments]
    parsed = [parse_reply((HEAD + text).encode(), languages=languages_known(), own_addresses=[]) for text in texts]
    return [comment for comment, said in zip(comments, parsed, strict=True) if said.answer != "approve"]


@pytest.mark.parametrize("language", TEMPTING)
def test_a_harmless_beginning_hides_no_condition(language):
    assert answers(language, TEMPTING[language]) == TEMPTING[language]


@pytest.mark.parametrize("language", HARMLESS)
def test_thanks_and_signatures_leave_a_yes_clear(language):
    assert answers(language, HARMLESS[language]) == []
