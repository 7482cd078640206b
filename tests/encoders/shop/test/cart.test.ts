import { sample } from "../src/cart";

export function testTotal(): boolean {
  return sample().total() === 118;
}
