"""Every shape by its name."""

from evaluation.reply_matrix.clients import COMMON, Shape
from evaluation.reply_matrix.clients_more import MORE

SHAPES: dict[str, Shape] = {shape.__name__: shape for shape in (*COMMON, *MORE)}
