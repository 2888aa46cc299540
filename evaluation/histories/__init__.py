"""Generated histories of approval by mail, played on the product and judged by an oracle that shares no code with it."""
