"""Studies of the paper's claims: what is run, what is claimed, and what came out."""
