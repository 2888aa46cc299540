"""Pure rules: no clock, no input or output. Time, ids and randomness are arguments."""
