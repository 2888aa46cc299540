"""CSS colours to numbers, and whether text of one colour can be read on another."""

import colorsys
import re

RGB = tuple[int, int, int]
WHITE: RGB = (255, 255, 255)
LEAST_CONTRAST = 1.35
"""Contrast ratio (WCAG 2, 1.4.3) below which text cannot be seen; the palest greys that people use on white have 1.5."""

_NAMES: dict[str, RGB] = {
    "white": WHITE, "black": (0, 0, 0), "red": (255, 0, 0), "lime": (0, 255, 0), "green": (0, 128, 0), "blue": (0, 0, 255),
    "yellow": (255, 255, 0), "gray": (128, 128, 128), "grey": (128, 128, 128), "silver": (192, 192, 192),
    "navy": (0, 0, 128), "maroon": (128, 0, 0), "purple": (128, 0, 128), "teal": (0, 128, 128), "olive": (128, 128, 0),
    "aqua": (0, 255, 255), "cyan": (0, 255, 255), "fuchsia": (255, 0, 255), "magenta": (255, 0, 255),
    "orange": (255, 165, 0), "snow": (255, 250, 250), "ivory": (255, 255, 240), "ghostwhite": (248, 248, 255),
    "whitesmoke": (245, 245, 245), "floralwhite": (255, 250, 240), "azure": (240, 255, 255), "mintcream": (245, 255, 250),
    "aliceblue": (240, 248, 255), "seashell": (255, 245, 238), "honeydew": (240, 255, 240), "window": WHITE,
    "windowtext": (0, 0, 0), "lightyellow": (255, 255, 224), "beige": (245, 245, 220), "linen": (250, 240, 230),
}  # fmt: skip


def read_color(text: str) -> tuple[RGB, float] | None:
    """Colour and opacity of a CSS colour without spaces, lower case; None for what is no colour that we know."""
    if text == "transparent":
        return (0, 0, 0), 0.0
    if text in _NAMES:
        return _NAMES[text], 1.0
    if re.fullmatch(r"#?(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})", text):
        return _hex(text.removeprefix("#"))
    found = re.fullmatch(r"(rgb|hsl)a?\(([^()]*)\)", text)
    return _function(found[1], re.split(r"[,/]", found[2])) if found else None


def _hex(digits: str) -> tuple[RGB, float]:
    full = digits if len(digits) > 4 else "".join(digit * 2 for digit in digits)
    red, green, blue, *rest = (int(full[at : at + 2], 16) for at in range(0, len(full), 2))
    return (red, green, blue), rest[0] / 255 if rest else 1.0


def _function(name: str, arguments: list[str]) -> tuple[RGB, float] | None:
    try:
        numbers = [float(a.rstrip("%deg")) * (0.01 if a.endswith("%") else 1) for a in arguments]
        first, second, third, *rest = numbers
    except ValueError:
        return None
    alpha = min(1.0, max(0.0, rest[0])) if rest else 1.0
    if name == "hsl":
        red, green, blue = colorsys.hls_to_rgb(first / 360 % 1, min(1.0, third), min(1.0, second))
        return (round(red * 255), round(green * 255), round(blue * 255)), alpha
    scale = [255 if a.endswith("%") else 1 for a in arguments]
    red, green, blue = (min(255, max(0, round(n * s))) for n, s in zip((first, second, third), scale, strict=False))
    return (red, green, blue), alpha


def readable(text: RGB, background: RGB) -> bool:
    """Whether a person sees text of that colour on that background."""
    lighter, darker = sorted((_luminance(text), _luminance(background)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05) >= LEAST_CONTRAST


def _luminance(color: RGB) -> float:
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (part / 255 for part in color)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
