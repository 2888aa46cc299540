"""Activities: one file a stage, in the order of a run. Thin: they join ledger, graph, agent, OData and mail."""
