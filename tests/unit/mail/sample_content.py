"""A request's content, and its mail as a program would read it."""

from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage

from mail.compose import compose
from wire.approval import Line, MailContent, MessageType, Table

AT = datetime(2026, 11, 2, 8, 0, tzinfo=UTC)
CONTENT = MailContent(
    message_type=MessageType.APPROVAL_REQUEST,
    message_id="abc@agent.example",
    from_address="approvals@agent.example",
    from_name="Countersign",
    reply_to="approvals+opaqueid@agent.example",
    to_address="ann@corp.example",
    to_name="Ann Müller",
    timezone="Europe/Berlin",
    composed_at=AT,
    run_id="run-abcdefghijkl",
    step=2,
    review=1,
    ref="opaqueid",
    policy_version="1@aa",
    deadline=AT + timedelta(hours=8),
    call_digest="d" * 64,
    title="Create order for Müller",
    summary="order four",
    lines=(Line(label="Price", value="12", old="10"), Line(label="Customer", value="4711 (Müller)")),
    tables=(Table(title="Items", columns=("#", "Material", "Quantity"), rows=(("1", "P-100", "4"), ("2", "S-200", "9"))),),
    reason="The stock is low.",
    brain="planner",
    requester="Rita",
    undecided=("Customer: 4711 could not be looked up",),
    technical=(Line(label="Exact content", value='{"Price":12}'),),
)  # fmt: skip


def with_(**changes) -> MailContent:
    return CONTENT.model_copy(update=changes)


def read(content: MailContent) -> EmailMessage:
    message = message_from_bytes(compose(content), policy=policy.default)
    assert isinstance(message, EmailMessage)
    return message


def bodies(content: MailContent) -> tuple[str, str]:
    plain, rich = read(content).iter_parts()
    return plain.get_content(), rich.get_content()
