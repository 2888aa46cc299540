"""Two plots as inline SVG: grouped bars and curves over k. Values in [0, 1]."""

from collections.abc import Mapping, Sequence
from html import escape

COLOURS = ("#8a8f98", "#c58a2b", "#1f6f8b", "#7a4e9c", "#4c8c4a", "#b04a4a")
_HEIGHT, _TOP, _LEFT = 200, 14, 34


def bars(table: Mapping[str, Mapping[str, float]], *, width: int = 900) -> str:
    """Group -> series -> value: one bar each, the value above it."""
    series = list(dict.fromkeys(name for values in table.values() for name in values))
    step = (width - _LEFT) / max(len(table), 1)
    bar = min(step / (len(series) + 1), 34)
    parts = [_axis(width)]
    for place, (group, values) in enumerate(table.items()):
        left = _LEFT + place * step
        for number, name in enumerate(series):
            if name in values:
                parts.append(_bar(left + number * bar, bar - 2, values[name], COLOURS[number % len(COLOURS)]))
        parts.append(_text(left + bar * len(series) / 2, _TOP + _HEIGHT + 14, group, "middle"))
    return _svg(parts + _legend(series, _TOP + _HEIGHT + 34), width, _TOP + _HEIGHT + 46)


def curves(table: Mapping[str, Mapping[int, float]], *, width: int = 440) -> str:
    """Series -> k -> value, the k at equal distances."""
    cuts = sorted({k for values in table.values() for k in values})
    step = (width - _LEFT - 50) / max(len(cuts) - 1, 1)
    at = {k: _LEFT + 8 + place * step for place, k in enumerate(cuts)}
    parts = [_axis(width)]
    for number, values in enumerate(table.values()):
        colour = COLOURS[number % len(COLOURS)]
        points = " ".join(f"{at[k]:.1f},{_y(values[k]):.1f}" for k in cuts if k in values)
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
    parts += [_text(at[k], _TOP + _HEIGHT + 14, f"k = {k}", "middle") for k in cuts]
    return _svg(parts + _legend(list(table), _TOP + _HEIGHT + 34), width, _TOP + _HEIGHT + 46)


def _axis(width: int) -> str:
    lines = [
        f'<line x1="{_LEFT - 4}" x2="{width}" y1="{_y(value):.1f}" y2="{_y(value):.1f}" stroke="#ddd"/>'
        + _text(_LEFT - 8, _y(value) + 4, f"{value:g}", "end")
        for value in (0, 0.25, 0.5, 0.75, 1)
    ]
    return "".join(lines)


def _bar(left: float, width: float, value: float, colour: str) -> str:
    top = _y(value)
    shape = f'<rect x="{left:.1f}" y="{top:.1f}" width="{width:.1f}" height="{_y(0) - top:.1f}" fill="{colour}"/>'
    return shape + _text(left + width / 2, top - 3, f"{value:.2f}".lstrip("0"), "middle", 9)


def _legend(names: Sequence[str], y: float) -> list[str]:
    parts, left = [], float(_LEFT)
    for number, name in enumerate(names):
        parts.append(
            f'<rect x="{left:.0f}" y="{y - 9}" width="10" height="10" fill="{COLOURS[number % len(COLOURS)]}"/>'
        )
        parts.append(_text(left + 14, y, name, "start"))
        left += 28 + 7 * len(name)
    return parts


def _text(x: float, y: float, text: str, anchor: str, size: int = 11) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}">{escape(text)}</text>'


def _y(value: float) -> float:
    return _TOP + _HEIGHT * (1 - value)


def _svg(parts: Sequence[str], width: int, height: int) -> str:
    return f'<svg viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">{"".join(parts)}</svg>'
