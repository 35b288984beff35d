import { type DeferPlan, type Fact, readTold } from '../../disclosure/index.ts';
import { ownNamed } from '../../disclosure/internal.ts';
import { readQueries } from './unwrap-call.ts';

/** A call in a history, and the text that answered it. */
interface AnsweredCall {
  readonly name: string;
  readonly arguments: unknown;
  readonly answer: string | undefined;
  /** The name that the model knows, for a tool that its client knows by another one. @default `name` */
  readonly modelName?: string;
}

/** What a call has revealed. An accepted call through the bridge is in a history under its real name: a `tool_call` there was refused. */
export function factsOfCall(plan: DeferPlan, call: AnsweredCall): readonly Fact[] {
  const { answer, name, modelName = name } = call;
  const role = ownNamed(plan, name)?.role;
  if (role === undefined) return [{ kind: 'called', name: modelName }];
  if (role === 'call' || answer === undefined) return [];
  const names = readTold(answer);
  if (role === 'describe') return [{ kind: 'revealed', names }];
  return [{ kind: 'searched', queries: readQueries(call.arguments), names }];
}
