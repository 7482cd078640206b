class Cart:
    def __init__(self, prices):
        self.prices = prices

    def total(self, discount=0):
        full = sum(self.prices)
        return full * (100 - discount) / 100 if discount else full
