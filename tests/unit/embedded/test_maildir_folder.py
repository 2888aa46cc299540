"""The Maildir folder of the embedded mail server: what is in a file name is what IMAP remembers."""

import pytest

from embedded.mail_server.errors import FolderError
from embedded.mail_server.folder import MaildirFolder
from embedded.mail_server.users import User, mailbox_of


def test_messages_come_back_as_they_were(tmp_path):
    folder = MaildirFolder(tmp_path, 7)
    first = folder.add(b"one\0\xff", 100, "S")
    second = folder.add(b"two", 200, "")
    again = MaildirFolder(tmp_path, 8)
    assert (again.uidvalidity, list(again.entries.values())) == (7, [first, second])
    assert again.read(first.uid) == b"one\0\xff"


def test_a_uid_is_never_given_twice(tmp_path):
    folder = MaildirFolder(tmp_path, 7)
    last = folder.add(b"x", 1, "")
    folder.remove([last.uid])
    assert MaildirFolder(tmp_path, 7).add(b"y", 1, "").uid > last.uid


def test_a_half_written_message_is_not_there(tmp_path):
    MaildirFolder(tmp_path, 7)
    (tmp_path / "tmp" / "1.U9.countersign:2,").write_bytes(b"half")
    assert MaildirFolder(tmp_path, 7).entries == {}


def test_moving_keeps_the_receipt_time_and_the_flags(tmp_path):
    source, target = MaildirFolder(tmp_path / "a", 1), MaildirFolder(tmp_path / "b", 2)
    entry = source.add(b"x", 55, "F")
    moved = source.move(entry.uid, target)
    assert moved is not None
    assert (moved.received, moved.flags, target.read(moved.uid), source.read(entry.uid)) == (55, "F", b"x", None)
    assert source.move(entry.uid, target) is None


def test_flags_stand_in_the_name(tmp_path):
    folder = MaildirFolder(tmp_path, 1)
    entry = folder.add(b"x", 1, "")
    folder.set_flags(entry.uid, "SR")
    assert MaildirFolder(tmp_path, 1).entries[entry.uid].flags == "RS"


def test_mail_of_another_program_is_taken_in(tmp_path):
    MaildirFolder(tmp_path, 1)
    (tmp_path / "new" / "123.abc.host").write_bytes(b"foreign")
    folder = MaildirFolder(tmp_path, 1)
    assert [folder.read(uid) for uid in folder.entries] == [b"foreign"]


def test_a_damaged_validity_file_is_named(tmp_path):
    MaildirFolder(tmp_path, 1)
    (tmp_path / "uidvalidity").write_text("x")
    with pytest.raises(FolderError, match="uidvalidity"):
        MaildirFolder(tmp_path, 1)


@pytest.mark.parametrize(
    ("recipient", "found"),
    [("a@x.example", True), ("A+b.C@X.example", True), ("+b@x.example", False), ("b@x.example", False), ("a", False)],
)
def test_mailbox_of_a_recipient(recipient, found):
    users = {"a@x.example": User("a@x.example", "p")}
    assert (mailbox_of(users, recipient) is not None) == found
