"""A plot of a few lines on two logarithmic axes, as SVG."""

import math
from html import escape

WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 640, 400, 60, 40, 190, 45
COLOURS = ("#1b6ca8", "#c4532d", "#3c8d5a", "#8a5fb0", "#a07c1c", "#555555")
Points = list[tuple[float, float]]


def svg(title: str, across: str, up: str, lines: dict[str, Points]) -> str:
    """``lines``: points by the name of each line; all values above 0."""
    every = [point for points in lines.values() for point in points]
    xs, ys = _range([x for x, _ in every]), _range([y for _, y in every])
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        _text(LEFT, 22, title, "start", 'font-size="14"'),
        _text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, across, "middle"),
        _text(LEFT - 6, 22, up, "end"),
        *_grid(xs, ys),
        _linear(xs, ys),
    ]
    for number, (name, points) in enumerate(lines.items()):
        colour = COLOURS[number % len(COLOURS)]
        at = [(_x(x, xs), _y(y, ys)) for x, y in points]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in at)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in at]
        parts.append(
            _text(WIDTH - RIGHT + 12, TOP + 14 + 18 * number, name, "start", f'fill="{colour}"')
        )
    return "\n".join([*parts, "</svg>\n"])


def _range(values: list[float]) -> tuple[int, int]:
    """Whole powers of ten around them."""
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return low, max(high, low + 1)


def _x(value: float, span: tuple[int, int]) -> float:
    part = (math.log10(value) - span[0]) / (span[1] - span[0])
    return LEFT + part * (WIDTH - LEFT - RIGHT)


def _y(value: float, span: tuple[int, int]) -> float:
    part = (math.log10(value) - span[0]) / (span[1] - span[0])
    return HEIGHT - BOTTOM - part * (HEIGHT - TOP - BOTTOM)


def _grid(xs: tuple[int, int], ys: tuple[int, int]) -> list[str]:
    found = []
    for power in range(xs[0], xs[1] + 1):
        x = _x(10.0**power, xs)
        found.append(_line(x, TOP, x, HEIGHT - BOTTOM))
        found.append(_text(x, HEIGHT - BOTTOM + 16, _number(power), "middle"))
    for power in range(ys[0], ys[1] + 1):
        y = _y(10.0**power, ys)
        found.append(_line(LEFT, y, WIDTH - RIGHT, y))
        found.append(_text(LEFT - 6, y + 4, _number(power), "end"))
    return found


def _number(power: int) -> str:
    return f"{10**power:,}" if power >= 0 else f"{10.0**power:g}"


def _linear(xs: tuple[int, int], ys: tuple[int, int]) -> str:
    """Dashed: how what is in proportion to the size grows."""
    decades = min(xs[1] - xs[0], ys[1] - ys[0])
    x, y = _x(10.0 ** (xs[1] - decades), xs), _y(10.0 ** ys[0], ys)
    ends = f'x2="{_x(10.0 ** xs[1], xs):.1f}" y2="{_y(10.0 ** (ys[0] + decades), ys):.1f}"'
    dashes = 'stroke="#999999" stroke-dasharray="4 4"'
    return f'<line x1="{x:.1f}" y1="{y:.1f}" {ends} {dashes}/>'


def _line(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="#dddddd"/>'


def _text(x: float, y: float, text: str, anchor: str, more: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" {more}>{escape(text)}</text>'
