def pay(cart, discount=0):
    return f"paid {cart.total(discount)}"
