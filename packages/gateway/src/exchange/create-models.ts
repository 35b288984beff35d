import type { DialectName } from '@quartermaster/host/upstream';
import { refuseManyValues, releaseBodyMemory } from '../http/index.ts';
import type { ModelQuestion, ModelService, Models, NamesServers, PlainModelService } from './model-service.ts';

/** The same on another thread. Undefined for a request that this thread has to answer. */
export type RemoteModelService = Models<NamesServers | undefined>;

/** Answers requests that name MCP servers, which it connects to. */
export interface Connector extends Models<never, [named: NamesServers]> {
  /** For several questions of one exchange: each server that they name is connected once, until `close` or the signal. */
  hold(signal: AbortSignal): Connector;
  close(): Promise<void>;
}

/** Keeps the connections to MCP servers from one question to the next, such as the next round of a batch item. */
export interface HeldModels extends ModelService {
  /** Called after the last answer, however it ended. */
  close(): Promise<void>;
}

/** Chooses for each request: this thread, or another for a large body, and the connector if it names MCP servers. */
export function createModels(options: {
  readonly here: PlainModelService;
  /** @default everything is answered here */
  readonly workers?: RemoteModelService | undefined;
  /** Bodies of at least this size go to a worker. */
  readonly offThreadBytes: number;
  readonly connector: (models: PlainModelService) => Connector;
}): HeldModels & { hold(signal: AbortSignal): HeldModels } {
  const { here, workers, offThreadBytes } = options;
  // A worker need not know of servers that the host calls: they are rare.
  const isLarge = ({ bytes, body, servers }: ModelQuestion<DialectName>): boolean =>
    bytes.length + (body?.toolsBytes ?? 0) >= offThreadBytes && servers !== 'host';
  /** What a worker can't answer is read here, and everyone else waits. */
  const checkSize = ({ bytes, body }: ModelQuestion<DialectName>): void => {
    if (workers === undefined || body !== undefined || bytes.length < offThreadBytes) return;
    refuseManyValues(bytes, 'A request that names a catalog or MCP servers');
  };
  const plain: PlainModelService = {
    async open(question) {
      const there = isLarge(question) ? await workers?.open(question) : undefined;
      if (there === undefined) checkSize(question);
      const opened = there ?? (await here.open(question));
      // Not after a failure: a worker may still be reading the body. Nor if the question comes back with its servers.
      if (opened.kind === 'exchange') releaseBodyMemory(question.bytes);
      return opened;
    },
    async countTokens(question) {
      const there = isLarge(question) ? await workers?.countTokens(question) : undefined;
      if (there === undefined) checkSize(question);
      const counted = there ?? (await here.countTokens(question));
      if (typeof counted === 'number') releaseBodyMemory(question.bytes);
      return counted;
    },
  };
  const connecting = (connector: Connector): HeldModels => ({
    close: connector.close,
    async open(question) {
      const opened = await plain.open(question);
      return opened.kind === 'exchange' ? opened : connector.open(question, opened);
    },
    async countTokens(question) {
      const counted = await plain.countTokens(question);
      return typeof counted === 'number' ? counted : connector.countTokens(question, counted);
    },
  });
  const connector = options.connector(plain);
  return { ...connecting(connector), hold: (signal) => connecting(connector.hold(signal)) };
}
