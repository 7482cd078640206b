TEXT = "usage: shop FILE (lines may have a discount in per cent)"
