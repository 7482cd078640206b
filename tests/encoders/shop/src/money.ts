export type Cents = number;

export const RATE = 19;

/** Adds the tax to a price. */
export function withTax(net: Cents, rate: Cents = RATE): Cents {
  return Math.round(net * (1 + rate / 100));
}

export function first<T>(items: T[]): T {
  return items[0];
}
