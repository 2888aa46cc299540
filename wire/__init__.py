"""Every type that crosses a process or history boundary. Frozen pydantic models; no input or output, no clock."""
