"""The fidelity audit: what the graph holds against what readers find that share no code with the ingester."""
