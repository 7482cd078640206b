TEXT = "usage: shop FILE"
