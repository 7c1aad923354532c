// Two rules with a boundary, for the test of `npm run mutate`.

export const paysHalf = (age: number): boolean => age < 12;

export const isFree = (age: number): boolean => age >= 65;
