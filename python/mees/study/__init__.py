"""Studies of the paper's claims: their runs, claims and results."""
