def pay(cart):
    return f"paid {cart.total()}"
