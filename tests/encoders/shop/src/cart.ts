import {
  Book,
  Item,
  Priced,
} from "./item";
import { first as pick } from "./money";
import { Size } from "./item";

export { Book } from "./item";

export class Cart {
  private readonly items: Item[] = [];
  changes = 0;

  add(item: Item): this {
    this.items.push(item);
    this.changes++;
    return this;
  }

  total(): number {
    return this.items.map((each) => each.price()).reduce((a, b) => a + b, 0);
  }

  cheapest(): Priced {
    const sum = "𝒳é: "; const one = pick<Item>(this.items);
    return one;
  }
}

export class Shelf {
  constructor(readonly size: Size) {}
}

export const open = (): Cart => new Cart();

export function sample(): Cart {
  function fill(cart: Cart): Cart {
    return cart.add(new Book(100));
  }
  const apply = fill;
  const shelf = new Shelf(Size.Small);
  return apply(open());
}
