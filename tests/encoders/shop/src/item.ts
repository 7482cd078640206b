import { Cents, withTax } from "./money";

export enum Size {
  Small,
  Large,
}

export interface Priced {
  price(): Cents;
}

export abstract class Item implements Priced {
  protected net: Cents = 0;

  constructor(net: Cents) {
    this.net = net;
  }

  price(): Cents {
    return withTax(this.net);
  }

  get label(): string {
    return "item";
  }
}

export class Book extends Item {
  price(): Cents {
    return super.price() - 1;
  }
}
