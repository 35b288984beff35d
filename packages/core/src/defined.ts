type Defined<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };

/** The fields that have a value: a field set to `undefined` is not the same as no field, for types and for JSON. */
export function defined<Fields extends object>(fields: Fields): Defined<Fields> {
  const kept: Partial<Fields> = {};
  for (const name in fields) if (fields[name] !== undefined) kept[name] = fields[name];
  return kept as Defined<Fields>;
}
