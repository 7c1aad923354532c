// For tests of debuggers: functions that print their variables. Each printed line has the name of the function, then
// `name = value` of each variable, in the form of `Debug`.
use starknet::ContractAddress;

#[derive(Copy, Drop, Serde, Debug, PartialEq)]
pub struct Point {
    pub x: u32,
    pub y: u32,
}

#[derive(Copy, Drop, Serde, Debug, PartialEq)]
pub struct Box3 {
    pub from: Point,
    pub to: Point,
    pub weight: u256,
    pub filled: bool,
}

#[derive(Drop, Serde, Debug)]
pub struct Person {
    pub name: ByteArray,
    pub age: u8,
    pub scores: Array<u16>,
    pub home: Option<Point>,
}

#[derive(Copy, Drop, Serde, Debug, PartialEq)]
pub enum Shape {
    Nothing,
    Dot: Point,
    Circle: (Point, u64),
    Solid: Box3,
}

#[derive(Drop, Debug)]
pub struct Pair<A, B> {
    pub first: A,
    pub second: B,
}

#[derive(Drop, Debug)]
pub enum Tree<T> {
    Leaf: T,
    Node: (T, Array<T>),
}

#[starknet::interface]
pub trait VariablesApi<TState> {
    fn integers(self: @TState, a: u8, b: u16, c: u32, d: u64, e: u128) -> u128;
    fn signed(self: @TState, a: i8, b: i16, c: i32, d: i64, e: i128) -> i128;
    fn wide(self: @TState, a: u256, b: u256) -> u256;
    fn felts(self: @TState, a: felt252, b: felt252) -> felt252;
    fn booleans(self: @TState, a: bool, b: bool) -> bool;
    fn addresses(self: @TState, owner: ContractAddress) -> felt252;
    fn structs(self: @TState, x: u32, y: u32) -> u32;
    fn nested(self: @TState, shape: Box3) -> u256;
    fn enums(self: @TState, x: u32, radius: u64) -> u32;
    fn matches(self: @TState, shape: Shape) -> u64;
    fn options(self: @TState, value: u32) -> u32;
    fn results(self: @TState, value: u8) -> u8;
    fn tuples(self: @TState, a: u8, b: felt252) -> felt252;
    fn arrays(self: @TState, a: u16, b: u16) -> u32;
    fn spans(self: @TState, values: Span<u64>) -> u64;
    fn texts(self: @TState, name: ByteArray) -> u32;
    fn people(self: @TState, name: ByteArray, age: u8) -> u32;
    fn generics(self: @TState, a: u8, b: u64, c: felt252) -> u64;
    fn for_loops(self: @TState, count: u32) -> u32;
    fn while_loops(self: @TState, limit: u64) -> u64;
    fn break_values(self: @TState, goal: u32) -> u32;
    fn recursion(self: @TState, depth: u32) -> u64;
    fn closures(self: @TState, a: u32) -> u32;
    fn snapshots(self: @TState, a: u32) -> u32;
    fn shadowing(self: @TState, a: u8) -> u64;
    fn inlined(self: @TState, a: u32, b: u32) -> u32;
    fn dictionaries(self: @TState, a: felt252, b: u64) -> u64;
    fn mutation(self: @TState, a: u64) -> u64;
    fn returned(self: @TState, a: u8, b: u64, c: felt252) -> u64;
    fn containers(self: @TState, a: u32, b: u64) -> u32;
    fn choices(self: @TState, a: u32, b: felt252) -> u32;
    fn words(self: @TState, a: ByteArray, b: u32) -> u32;
    fn turns(self: @TState, count: u8) -> u64;
}

#[starknet::contract]
mod variables {
    use core::dict::Felt252Dict;
    use starknet::{ContractAddress, get_contract_address};
    use super::{Box3, Pair, Person, Point, Shape, Tree};

    #[storage]
    struct Storage {}

    #[abi(embed_v0)]
    impl VariablesImpl of super::VariablesApi<ContractState> {
        fn integers(self: @ContractState, a: u8, b: u16, c: u32, d: u64, e: u128) -> u128 {
            let wide_a: u16 = a.into();
            let sum = wide_a + b;
            let product: u64 = c.into() * 3;
            let difference = d - 1;
            let quotient = e / 7;
            let remainder = e % 7;
            let masked = a & 0x0f;
            let either = b | 0x8000;
            println!(
                "integers: a = {:?}; b = {:?}; c = {:?}; d = {:?}; e = {:?}; wide_a = {:?}; sum = {:?}; product = {:?}; difference = {:?}; quotient = {:?}; remainder = {:?}; masked = {:?}; either = {:?}",
                a, b, c, d, e, wide_a, sum, product, difference, quotient, remainder, masked, either,
            );
            quotient + sum.into() + product.into() + difference.into()
        }

        fn signed(self: @ContractState, a: i8, b: i16, c: i32, d: i64, e: i128) -> i128 {
            let negated = -a;
            let sum = b + 5;
            let product = c * -3;
            let difference = d - 10;
            let total: i128 = e + sum.into();
            println!(
                "signed: a = {:?}; b = {:?}; c = {:?}; d = {:?}; e = {:?}; negated = {:?}; sum = {:?}; product = {:?}; difference = {:?}; total = {:?}",
                a, b, c, d, e, negated, sum, product, difference, total,
            );
            total + product.into() + difference.into() + negated.into()
        }

        fn wide(self: @ContractState, a: u256, b: u256) -> u256 {
            let sum = a + b;
            let low = a.low;
            let high = b.high;
            let halved = sum / 2;
            let larger = a > b;
            println!(
                "wide: a = {:?}; b = {:?}; sum = {:?}; low = {:?}; high = {:?}; halved = {:?}; larger = {:?}",
                a, b, sum, low, high, halved, larger,
            );
            halved + low.into() + high.into()
        }

        fn felts(self: @ContractState, a: felt252, b: felt252) -> felt252 {
            let sum = a + b;
            let product = a * b;
            let difference = a - b;
            let text = 'short text';
            let hash = core::pedersen::pedersen(a, b);
            println!(
                "felts: a = {:?}; b = {:?}; sum = {:?}; product = {:?}; difference = {:?}; text = {:?}; hash = {:?}",
                a, b, sum, product, difference, text, hash,
            );
            sum + product + difference + text + hash
        }

        fn booleans(self: @ContractState, a: bool, b: bool) -> bool {
            let both = a && b;
            let any = a || b;
            let differs = a != b;
            let negated = !a;
            println!(
                "booleans: a = {:?}; b = {:?}; both = {:?}; any = {:?}; differs = {:?}; negated = {:?}",
                a, b, both, any, differs, negated,
            );
            both || (any && differs) || negated
        }

        fn addresses(self: @ContractState, owner: ContractAddress) -> felt252 {
            let this = get_contract_address();
            let same = owner == this;
            let number: felt252 = owner.into();
            let zero: ContractAddress = 0.try_into().unwrap();
            println!(
                "addresses: owner = {:?}; this = {:?}; same = {:?}; number = {:?}; zero = {:?}",
                owner, this, same, number, zero,
            );
            number + zero.into()
        }

        fn structs(self: @ContractState, x: u32, y: u32) -> u32 {
            let point = Point { x, y };
            let moved = shift(point, 10);
            let Point { x: left, y: top } = moved;
            let area = left * top;
            println!(
                "structs: x = {:?}; y = {:?}; point = {:?}; moved = {:?}; left = {:?}; top = {:?}; area = {:?}",
                x, y, point, moved, left, top, area,
            );
            area + point.x
        }

        fn nested(self: @ContractState, shape: Box3) -> u256 {
            let corner = shape.to;
            let weight = shape.weight;
            let heavier = Box3 { weight: weight + 1, ..shape };
            let filled = heavier.filled;
            let pair = Pair { first: corner, second: heavier };
            println!(
                "nested: shape = {:?}; corner = {:?}; weight = {:?}; heavier = {:?}; filled = {:?}; pair = {:?}",
                shape, corner, weight, heavier, filled, pair,
            );
            weight + pair.second.weight
        }

        fn enums(self: @ContractState, x: u32, radius: u64) -> u32 {
            let nothing = Shape::Nothing;
            let dot = dot_of(x);
            let circle = circle_of(x, radius);
            let solid = solid_of(x);
            let leaf: Tree<u32> = Tree::Leaf(x);
            let node = Tree::Node((radius, array![radius, radius + 1]));
            println!(
                "enums: x = {:?}; radius = {:?}; nothing = {:?}; dot = {:?}; circle = {:?}; solid = {:?}; leaf = {:?}; node = {:?}",
                x, radius, nothing, dot, circle, solid, leaf, node,
            );
            if dot == nothing {
                1
            } else {
                2
            }
        }

        fn matches(self: @ContractState, shape: Shape) -> u64 {
            let size = match shape {
                Shape::Nothing => 0,
                Shape::Dot(point) => {
                    let sum = point.x + point.y;
                    println!("matches: shape = {:?}; point = {:?}; sum = {:?}", shape, point, sum);
                    sum.into()
                },
                Shape::Circle((
                    center, radius,
                )) => {
                    let area = radius * radius * 3;
                    println!(
                        "matches: shape = {:?}; center = {:?}; radius = {:?}; area = {:?}",
                        shape, center, radius, area,
                    );
                    area
                },
                Shape::Solid(solid) => {
                    let width = solid.to.x - solid.from.x;
                    println!("matches: shape = {:?}; solid = {:?}; width = {:?}", shape, solid, width);
                    width.into()
                },
            };
            println!("matches: shape = {:?}; size = {:?}", shape, size);
            size
        }

        fn options(self: @ContractState, value: u32) -> u32 {
            let some = some_if(value, true);
            let none = some_if(value, false);
            let inner = some.unwrap();
            let fallback = none.unwrap_or(7);
            let nested: Option<Option<u32>> = Some(none);
            if let Some(content) = some {
                println!("options: value = {:?}; content = {:?}; some = {:?}", value, content, some);
            }
            println!(
                "options: value = {:?}; some = {:?}; none = {:?}; inner = {:?}; fallback = {:?}; nested = {:?}",
                value, some, none, inner, fallback, nested,
            );
            inner + fallback
        }

        fn results(self: @ContractState, value: u8) -> u8 {
            let good = checked(value, 10);
            let bad = checked(value, 255);
            let unwrapped = good.unwrap_or(1);
            let is_bad = bad.is_err();
            println!(
                "results: value = {:?}; good = {:?}; bad = {:?}; unwrapped = {:?}; is_bad = {:?}",
                value, good, bad, unwrapped, is_bad,
            );
            unwrapped
        }

        fn tuples(self: @ContractState, a: u8, b: felt252) -> felt252 {
            let pair = (a, b);
            let swapped = swap(pair);
            let (first, second) = swapped;
            let deep = ((a, true), (b, Point { x: 1, y: a.into() }));
            let (left, (number, point)) = deep;
            println!(
                "tuples: a = {:?}; b = {:?}; pair = {:?}; swapped = {:?}; first = {:?}; second = {:?}; deep = {:?}; left = {:?}; number = {:?}; point = {:?}",
                a, b, pair, swapped, first, second, deep, left, number, point,
            );
            first + second.into() + number
        }

        fn arrays(self: @ContractState, a: u16, b: u16) -> u32 {
            let mut values = array![a, b];
            values.append(a + b);
            let length = values.len();
            let first = *values.at(0);
            let empty: Array<felt252> = array![];
            let points = array![Point { x: a.into(), y: b.into() }, Point { x: length, y: 0 }];
            let tables = array![array![1_u8, 2], array![], array![3]];
            println!(
                "arrays: a = {:?}; b = {:?}; values = {:?}; length = {:?}; first = {:?}; empty = {:?}; points = {:?}; tables = {:?}",
                a, b, values, length, first, empty, points, tables,
            );
            length + first.into()
        }

        fn spans(self: @ContractState, values: Span<u64>) -> u64 {
            let mut rest = values;
            let first = *rest.pop_front().unwrap();
            let length = rest.len();
            let last = *values.at(values.len() - 1);
            let middle = values.slice(1, 2);
            println!(
                "spans: values = {:?}; rest = {:?}; first = {:?}; length = {:?}; last = {:?}; middle = {:?}",
                values, rest, first, length, last, middle,
            );
            first + last + length.into()
        }

        fn texts(self: @ContractState, name: ByteArray) -> u32 {
            let greeting: ByteArray = "hello, ";
            let whole = joined(@greeting, @name);
            let length = whole.len();
            let empty: ByteArray = "";
            let long: ByteArray = "a text that is longer than the thirty-one bytes of one word";
            println!(
                "texts: name = {:?}; greeting = {:?}; whole = {:?}; length = {:?}; empty = {:?}; long = {:?}",
                name, greeting, whole, length, empty, long,
            );
            length + long.len()
        }

        fn people(self: @ContractState, name: ByteArray, age: u8) -> u32 {
            let home = Point { x: age.into(), y: 3 };
            let person = Person { name, age, scores: array![1, 2, age.into()], home: Some(home) };
            let older = person.age + 1;
            let scores = person.scores.span();
            let group = Pair { first: person, second: None::<Point> };
            println!(
                "people: age = {:?}; home = {:?}; older = {:?}; scores = {:?}; group = {:?}",
                age, home, older, scores, group,
            );
            older.into() + group.first.name.len()
        }

        fn generics(self: @ContractState, a: u8, b: u64, c: felt252) -> u64 {
            let bytes = largest(a, 9);
            let longs = largest(b, 9);
            let pair = Pair { first: bytes, second: c };
            let described = describe(pair.first, longs);
            println!(
                "generics: a = {:?}; b = {:?}; c = {:?}; bytes = {:?}; longs = {:?}; pair = {:?}; described = {:?}",
                a, b, c, bytes, longs, pair, described,
            );
            longs + described.second
        }

        fn for_loops(self: @ContractState, count: u32) -> u32 {
            let mut total = 0;
            for index in 0..count {
                let square = index * index;
                total += square;
                println!("for_loops: index = {:?}; square = {:?}; total = {:?}", index, square, total);
            }
            let values = array![total, count];
            let mut sum = 0;
            for value in values {
                sum += value;
                println!("for_loops: value = {:?}; sum = {:?}", value, sum);
            }
            println!("for_loops: count = {:?}; total = {:?}; sum = {:?}", count, total, sum);
            total + sum
        }

        fn while_loops(self: @ContractState, limit: u64) -> u64 {
            let mut power = 1;
            let mut rounds: u8 = 0;
            while power < limit {
                power *= 2;
                rounds += 1;
                println!("while_loops: limit = {:?}; power = {:?}; rounds = {:?}", limit, power, rounds);
            }
            println!("while_loops: limit = {:?}; power = {:?}; rounds = {:?}", limit, power, rounds);
            power
        }

        fn break_values(self: @ContractState, goal: u32) -> u32 {
            let mut candidate = 0;
            let mut list = array![];
            let winner = loop {
                candidate += 3;
                list.append(candidate);
                if candidate > goal {
                    println!("break_values: goal = {:?}; candidate = {:?}; list = {:?}", goal, candidate, list);
                    break candidate * 2;
                }
            };
            println!("break_values: goal = {:?}; winner = {:?}; list = {:?}", goal, winner, list);
            winner
        }

        fn recursion(self: @ContractState, depth: u32) -> u64 {
            let result = factorial(depth);
            let walked = fibonacci(depth, 0, 1);
            println!("recursion: depth = {:?}; result = {:?}; walked = {:?}", depth, result, walked);
            result + walked
        }

        fn closures(self: @ContractState, a: u32) -> u32 {
            let offset = a + 100;
            let add = |value: u32| {
                let added = value + offset;
                println!("closures: value = {:?}; added = {:?}", value, added);
                added
            };
            let once = add(1);
            let twice = add(once);
            println!("closures: a = {:?}; offset = {:?}; once = {:?}; twice = {:?}", a, offset, once, twice);
            twice
        }

        fn snapshots(self: @ContractState, a: u32) -> u32 {
            let point = Point { x: a, y: a + 1 };
            let view = @point;
            let x = *view.x;
            let list = array![a, x, 5];
            let list_view = @list;
            let length = measure(list_view, view);
            println!(
                "snapshots: a = {:?}; point = {:?}; x = {:?}; list = {:?}; length = {:?}",
                a, point, x, list, length,
            );
            length
        }

        fn shadowing(self: @ContractState, a: u8) -> u64 {
            let value = a + 1;
            println!("shadowing: a = {:?}; value = {:?}", a, value);
            let value: u64 = value.into() * 1000;
            println!("shadowing: a = {:?}; value = {:?}", a, value);
            {
                let value = Point { x: 1, y: a.into() };
                println!("shadowing: a = {:?}; value = {:?}", a, value);
            }
            let a = value + 1;
            println!("shadowing: a = {:?}; value = {:?}", a, value);
            a
        }

        fn inlined(self: @ContractState, a: u32, b: u32) -> u32 {
            let first = twice_plus(a, b);
            let second = twice_plus(b, first);
            println!("inlined: a = {:?}; b = {:?}; first = {:?}; second = {:?}", a, b, first, second);
            second
        }

        fn dictionaries(self: @ContractState, a: felt252, b: u64) -> u64 {
            let mut ages: Felt252Dict<u64> = Default::default();
            ages.insert('alice', b);
            ages.insert(a, b + 1);
            ages.insert('alice', b + 2);
            let alice = ages.get('alice');
            let missing = ages.get('nobody');
            println!("dictionaries: a = {:?}; b = {:?}; alice = {:?}; missing = {:?}", a, b, alice, missing);
            alice + missing
        }

        fn mutation(self: @ContractState, a: u64) -> u64 {
            let mut value = a;
            println!("mutation: value = {:?}", value);
            value += 5;
            println!("mutation: value = {:?}", value);
            if a > 10 {
                value = value * 2;
                println!("mutation: value = {:?}", value);
            } else {
                value -= 1;
            }
            println!("mutation: value = {:?}", value);
            let mut point = Point { x: 1, y: 2 };
            point.x += 7;
            println!("mutation: value = {:?}; point = {:?}", value, point);
            double(ref value);
            println!("mutation: value = {:?}; point = {:?}", value, point);
            value
        }

        fn returned(self: @ContractState, a: u8, b: u64, c: felt252) -> u64 {
            let byte = same(a);
            let short: u16 = same(a.into());
            let medium: u32 = same(a.into());
            let long = same(b);
            let longest: u128 = same(b.into());
            let wide: u256 = same(b.into());
            let number = same(c);
            let negative: i32 = same(-5);
            let flag = same(a == 1);
            let owner: ContractAddress = same(c.try_into().unwrap());
            let nothing = same(());
            let pair = same((a, b));
            let triple = same((c, flag, medium));
            let point = same(Point { x: medium, y: 2 });
            println!(
                "returned: a = {:?}; b = {:?}; c = {:?}; byte = {:?}; short = {:?}; medium = {:?}; long = {:?}; longest = {:?}; wide = {:?}; number = {:?}; negative = {:?}; flag = {:?}; owner = {:?}; nothing = {:?}; pair = {:?}; triple = {:?}; point = {:?}",
                a, b, c, byte, short, medium, long, longest, wide, number, negative, flag, owner, nothing, pair, triple, point,
            );
            long
        }

        fn containers(self: @ContractState, a: u32, b: u64) -> u32 {
            let numbers = same(array![a, a + 1, a + 2]);
            let points = same(array![Point { x: a, y: 1 }, Point { x: 2, y: a }]);
            let wides: Array<u256> = same(array![b.into(), 0x1_00000000000000000000000000000000]);
            let names: Array<ByteArray> = same(array!["one", "a longer name that takes two words"]);
            let options = same(array![Some(a), None]);
            let shapes = same(array![Shape::Nothing, Shape::Dot(Point { x: a, y: a })]);
            let nested = same(array![array![b], array![], array![b, b]]);
            let pairs = same(array![(a, b), (0, 1)]);
            let empty: Array<Point> = same(array![]);
            let view = same(numbers.span());
            let tail = same(view.slice(1, 2));
            let box = same(BoxTrait::new(Point { x: a, y: 9 }));
            let unboxed = same(box.unbox());
            println!(
                "containers: a = {:?}; b = {:?}; numbers = {:?}; points = {:?}; wides = {:?}; names = {:?}; options = {:?}; shapes = {:?}; nested = {:?}; pairs = {:?}; empty = {:?}; view = {:?}; tail = {:?}; unboxed = {:?}",
                a, b, numbers, points, wides, names, options, shapes, nested, pairs, empty, view, tail, unboxed,
            );
            numbers.len()
        }

        fn choices(self: @ContractState, a: u32, b: felt252) -> u32 {
            let some = same(Some(a));
            let none: Option<u32> = same(None);
            let deep = same(Some(Some(a)));
            let good: Result<u32, felt252> = same(Ok(a));
            let bad: Result<u32, felt252> = same(Err(b));
            let leaf = same(Tree::Leaf(Point { x: a, y: a }));
            let node = same(Tree::Node((a, array![a, 1])));
            let circle = same(Shape::Circle((Point { x: a, y: 0 }, 5)));
            let nothing = same(Shape::Nothing);
            let pair = same(Pair { first: Some(a), second: (a, b) });
            let chain = same(Pair { first: pair_of(a, b), second: Pair { first: a, second: true } });
            println!(
                "choices: a = {:?}; b = {:?}; some = {:?}; none = {:?}; deep = {:?}; good = {:?}; bad = {:?}; leaf = {:?}; node = {:?}; circle = {:?}; nothing = {:?}; pair = {:?}; chain = {:?}",
                a, b, some, none, deep, good, bad, leaf, node, circle, nothing, pair, chain,
            );
            a
        }

        fn words(self: @ContractState, a: ByteArray, b: u32) -> u32 {
            let first = same(a);
            let second: ByteArray = same("second");
            let third = joined(@first, @second);
            let person = Person { name: "Grace", age: 85, scores: array![7, 8], home: None };
            let moved = same(person);
            let length = same(third.len());
            let letter = same(third.at(0));
            let exact: ByteArray = same("exactly thirty-one bytes long..");
            println!(
                "words: b = {:?}; first = {:?}; second = {:?}; third = {:?}; moved = {:?}; length = {:?}; letter = {:?}; exact = {:?}",
                b, first, second, third, moved, length, letter, exact,
            );
            length
        }

        fn turns(self: @ContractState, count: u8) -> u64 {
            let mut sum: u64 = 0;
            let mut index: u8 = 0;
            while index != count {
                let weight: u64 = same(index.into());
                let point = same(Point { x: index.into(), y: 1 });
                let parts = same(array![weight, 2]);
                let choice = same(if index % 2 == 0 {
                    Some(weight)
                } else {
                    None
                });
                sum += weight;
                index += 1;
                println!(
                    "turns: weight = {:?}; point = {:?}; parts = {:?}; choice = {:?}; sum = {:?}; index = {:?}",
                    weight, point, parts, choice, sum, index,
                );
            }
            sum
        }
    }

    #[inline(never)]
    fn shift(point: Point, by: u32) -> Point {
        let x = point.x + by;
        let y = point.y + by;
        println!("shift: point = {:?}; by = {:?}; x = {:?}; y = {:?}", point, by, x, y);
        Point { x, y }
    }

    // Hands a value on through a call.
    #[inline(never)]
    fn same<T, +Drop<T>>(value: T) -> T {
        value
    }

    #[inline(never)]
    fn pair_of<A, B, +Drop<A>, +Drop<B>>(first: A, second: B) -> Pair<A, B> {
        Pair { first, second }
    }

    #[inline(never)]
    fn dot_of(x: u32) -> Shape {
        Shape::Dot(Point { x, y: x + 1 })
    }

    #[inline(never)]
    fn circle_of(x: u32, radius: u64) -> Shape {
        let center = Point { x, y: 0 };
        Shape::Circle((center, radius))
    }

    #[inline(never)]
    fn solid_of(x: u32) -> Shape {
        let from = Point { x, y: x };
        let to = Point { x: x + 5, y: x + 6 };
        let solid = Box3 { from, to, weight: 0x1_00000000000000000000000000000002, filled: true };
        println!("solid_of: x = {:?}; from = {:?}; to = {:?}; solid = {:?}", x, from, to, solid);
        Shape::Solid(solid)
    }

    #[inline(never)]
    fn some_if(value: u32, present: bool) -> Option<u32> {
        if present {
            Some(value)
        } else {
            None
        }
    }

    #[inline(never)]
    fn checked(value: u8, more: u8) -> Result<u8, felt252> {
        let sum: u16 = value.into() + more.into();
        println!("checked: value = {:?}; more = {:?}; sum = {:?}", value, more, sum);
        match sum.try_into() {
            Some(small) => Ok(small),
            None => Err('too large'),
        }
    }

    #[inline(never)]
    fn swap<A, B, +Drop<A>, +Drop<B>>(pair: (A, B)) -> (B, A) {
        let (first, second) = pair;
        (second, first)
    }

    #[inline(never)]
    fn joined(first: @ByteArray, second: @ByteArray) -> ByteArray {
        let mut whole = first.clone();
        whole.append(second);
        println!("joined: whole = {:?}", whole);
        whole
    }

    #[inline(never)]
    fn largest<T, +Drop<T>, +Copy<T>, +PartialOrd<T>, +core::fmt::Debug<T>>(a: T, b: T) -> T {
        let larger = if a > b {
            a
        } else {
            b
        };
        println!("largest: a = {:?}; b = {:?}; larger = {:?}", a, b, larger);
        larger
    }

    #[inline(never)]
    fn describe<A, B, +Drop<A>, +Drop<B>, +Copy<A>, +Copy<B>, +core::fmt::Debug<A>, +core::fmt::Debug<B>>(
        a: A, b: B,
    ) -> Pair<A, B> {
        let pair = Pair { first: a, second: b };
        println!("describe: a = {:?}; b = {:?}; pair = {:?}", a, b, pair);
        pair
    }

    fn factorial(number: u32) -> u64 {
        if number < 2 {
            return 1;
        }
        let rest = factorial(number - 1);
        let result = rest * number.into();
        println!("factorial: number = {:?}; rest = {:?}; result = {:?}", number, rest, result);
        result
    }

    fn fibonacci(count: u32, a: u64, b: u64) -> u64 {
        println!("fibonacci: count = {:?}; a = {:?}; b = {:?}", count, a, b);
        if count == 0 {
            return a;
        }
        let next = a + b;
        fibonacci(count - 1, b, next)
    }

    #[inline(never)]
    fn measure(list: @Array<u32>, point: @Point) -> u32 {
        let length = list.len();
        let Point { x, y } = *point;
        let sum = x + y + length;
        println!("measure: length = {:?}; x = {:?}; y = {:?}; sum = {:?}", length, x, y, sum);
        sum
    }

    #[inline(always)]
    fn twice_plus(number: u32, more: u32) -> u32 {
        let twice = number * 2;
        let result = twice + more;
        println!("twice_plus: number = {:?}; more = {:?}; twice = {:?}; result = {:?}", number, more, twice, result);
        result
    }

    #[inline(never)]
    fn double(ref value: u64) {
        value *= 2;
        println!("double: value = {:?}", value);
    }
}
