"""The A/B protocol of build spec 7: is the planned path better than editing without a plan?

`flag` routes between the two; `config`, `execute` and `store` make and keep runs; `metrics` are the
four instruments; `decision` and `ablation` the two rules; `report` and `plot` tell it. Nothing here
changes the harness it measures.
"""
