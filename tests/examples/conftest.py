"""The projects of the warm-up tasks have tests of their own, which run in copies of them."""

collect_ignore = ["warmup"]
