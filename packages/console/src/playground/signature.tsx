import type { ReactNode } from 'react';
import { child } from '../shell/read-json.ts';
import { Breakable } from '../shell/tool-name.tsx';

interface Parameter {
  readonly name: string;
  readonly isRequired: boolean;
  readonly type: string;
  readonly description: string;
}

/** A tool's schema as a function signature, which reads faster than JSON. */
export function Signature({ name, schema }: { readonly name: string; readonly schema: unknown }): ReactNode {
  const parameters = parametersOf(schema);
  if (parameters.length === 0) return <pre className="signature">{name}()</pre>;
  return (
    <pre className="signature">
      <Breakable text={name} />(
      {parameters.map(({ name: parameter, isRequired, type, description }) => (
        // A block for each, so that what does not fit into a line goes on further in.
        <span key={parameter} className="parameter">
          <bdi>{parameter}</bdi>
          {isRequired ? '' : '?'}: <span className="type">{type}</span>
          {description === '' ? '' : <span className="comment">{` // ${description}`}</span>}
        </span>
      ))}
      )
    </pre>
  );
}

function parametersOf(schema: unknown): readonly Parameter[] {
  const properties = child(schema, 'properties');
  if (typeof properties !== 'object' || properties === null) return [];
  const required = child(schema, 'required');
  return Object.entries(properties).map(([name, property]) => ({
    name,
    isRequired: Array.isArray(required) && required.includes(name),
    type: typeOf(property),
    description: firstSentence(child(property, 'description')),
  }));
}

const MAX_VARIANTS = 8;

function typeOf(schema: unknown): string {
  const options = child(schema, 'enum');
  if (Array.isArray(options)) {
    const shown = options.slice(0, MAX_VARIANTS).map((option) => JSON.stringify(option));
    return [...shown, ...(options.length > MAX_VARIANTS ? ['…'] : [])].join(' | ');
  }
  const type = child(schema, 'type');
  if (type === 'array') return `${typeOf(child(schema, 'items'))}[]`;
  if (typeof type === 'string') return type;
  if (Array.isArray(type)) return type.join(' | ');
  const variants = child(schema, 'anyOf') ?? child(schema, 'oneOf');
  if (Array.isArray(variants)) return variants.slice(0, MAX_VARIANTS).map(typeOf).join(' | ');
  const reference = child(schema, '$ref');
  return typeof reference === 'string' ? (reference.split('/').at(-1) ?? 'any') : 'any';
}

function firstSentence(text: unknown): string {
  return typeof text === 'string' ? (text.split(/(?<=[.;])\s|\n/, 1)[0] ?? '') : '';
}
