// The form of a tool's input: one description that a model is shown and that what it sends is checked by.
import { UsageError } from './usage';

export type Property = { readonly description: string } & (
  | { readonly type: 'string'; readonly maxLength: number; readonly enum?: readonly string[] }
  | { readonly type: 'integer'; readonly minimum: number; readonly maximum: number }
  | { readonly type: 'boolean' }
  | {
      readonly type: 'array';
      readonly maxItems: number;
      readonly items: { readonly type: 'string'; readonly maxLength: number };
    }
);

/** A part of JSON Schema: an object of simple values, and nothing besides them. */
export interface InputSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, Property>>;
  readonly required?: readonly string[];
  readonly additionalProperties: false;
}

type ValueOf<P> = P extends { enum: readonly (infer E)[] }
  ? E
  : P extends { type: 'string' }
    ? string
    : P extends { type: 'integer' }
      ? number
      : P extends { type: 'boolean' }
        ? boolean
        : readonly string[];

/** What an input of that form holds. */
export type InputOf<S extends InputSchema> = {
  readonly [K in keyof S['properties']]: ValueOf<S['properties'][K]> | (K extends Required<S> ? never : undefined);
};
type Required<S> = S extends { required: readonly (infer R)[] } ? R : never;

/** @throws UsageError that names the property */
export function checkInput<S extends InputSchema>(schema: S, input: unknown): InputOf<S> {
  const given = input ?? {};
  if (typeof given !== 'object' || Array.isArray(given)) throw new UsageError('The arguments have to be an object.');
  const checked: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    const property = Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
    if (property === undefined) {
      const names = Object.keys(schema.properties).join(', ');
      throw new UsageError(`There is no argument ${JSON.stringify(name.slice(0, 100))}. There are: ${names}.`);
    }
    if (value === undefined) continue;
    const problem = problemOf(property, value);
    if (problem !== undefined) throw new UsageError(`${name} has to be ${problem}.`);
    checked[name] = value;
  }
  for (const name of schema.required ?? [])
    if (checked[name] === undefined) throw new UsageError(`${name} is missing.`);
  return checked as InputOf<S>;
}

/** What the value would have to be, where it is not. */
function problemOf(property: Property, value: unknown): string | undefined {
  switch (property.type) {
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'true or false';
    case 'integer': {
      const { minimum, maximum } = property;
      const fits = Number.isSafeInteger(value) && (value as number) >= minimum && (value as number) <= maximum;
      return fits ? undefined : `a whole number from ${minimum} to ${maximum}`;
    }
    case 'string':
      if (property.enum !== undefined) {
        return property.enum.includes(value as string) ? undefined : `one of ${property.enum.join(', ')}`;
      }
      return isText(value, property.maxLength) ? undefined : `a text of 1 to ${property.maxLength} characters`;
    case 'array': {
      const { maxItems, items } = property;
      const fits =
        Array.isArray(value) && value.length <= maxItems && value.every((each) => isText(each, items.maxLength));
      return fits ? undefined : `a list of at most ${maxItems} texts`;
    }
  }
}

const isText = (value: unknown, max: number): boolean =>
  typeof value === 'string' && value.length > 0 && value.length <= max;
