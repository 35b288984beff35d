import type { Plan } from '@quartermaster/core';
import { measureReach } from '@quartermaster/core/disclosure';
import type { Caller } from '@quartermaster/core/dispatch';
import { estimateTokens, snapshotTokens } from '@quartermaster/core/gate';
import { defined } from '@quartermaster/core/internal';
import {
  type LoopOptions,
  type LoopRound,
  type Planned,
  runLoop,
  runWhole,
  type TranscriptStore,
} from '@quartermaster/core/loop';
import type {
  DialectName,
  DialectOf,
  DialectUpstream,
  PartOf,
  RequestOf,
  ResponseOf,
} from '@quartermaster/host/upstream';
import type { GatewayEvent } from '../events/index.ts';
import type { GatewayUpstream } from '../upstreams.ts';

export interface RunOptions<Name extends DialectName> {
  readonly dialect: DialectOf<Name>;
  readonly planned: Planned<RequestOf<Name>, PartOf<Name>>;
  readonly exchange: DialectUpstream<Name>;
  /** The request as its client sent it, where references in it were resolved. */
  readonly asked?: RequestOf<Name>;
  readonly signal: AbortSignal;
  readonly maxRounds: number;
  /** What the client's key has kept of earlier responses. */
  readonly transcript?: TranscriptStore | undefined;
  readonly onTranscriptError?: ((error: unknown) => void) | undefined;
  /** Which tools are executed here, and how. @default none are */
  readonly isLocal?: LoopOptions<object, never>['isLocal'] | undefined;
  readonly execute?: LoopOptions<object, never>['execute'] | undefined;
  /** Asked before each search of the model's. */
  readonly admitSearch?: NonNullable<Caller['admitSearch']> | undefined;
  /** Whose request it is, for events and for what was learned from use. */
  readonly owner?: string | undefined;
  /** For events. */
  readonly requestId?: string | undefined;
  readonly roundsBefore?: number | undefined;
  readonly upstream: Pick<GatewayUpstream, 'offersTools'>;
  readonly onEvent?: ((event: GatewayEvent) => void) | undefined;
}

/** The parts of one response. */
export function streamExchange<Name extends DialectName>(options: RunOptions<Name>): AsyncIterator<PartOf<Name>> {
  const { dialect, planned, exchange, signal } = options;
  if (planned.kind !== 'loop') return exchange.stream(planned.request, signal)[Symbol.asyncIterator]();
  const { request, toolbox, plan } = planned;
  const loop = {
    ...{ toolbox, plan, request, signal },
    ...defined({ asked: options.asked }),
    ...loopSettings(options),
  };
  return runLoop({ wire: dialect.wire, upstream: exchange.stream, ...loop });
}

/** One whole response. */
export function runExchange<Name extends DialectName>(options: RunOptions<Name>): Promise<ResponseOf<Name>> {
  const { dialect, planned, exchange, signal } = options;
  if (planned.kind !== 'loop') return exchange.whole(planned.request, signal);
  const { request, toolbox, plan } = planned;
  return runWhole({
    ...{ wire: dialect.wire, whole: dialect.whole, upstream: exchange.whole },
    ...{ toolbox, plan, request, signal },
    ...defined({ asked: options.asked }),
    ...loopSettings(options),
  });
}

type LoopSettings = Pick<
  LoopOptions<object, never>,
  'maxRounds' | 'prefetch' | 'isLocal' | 'execute' | 'transcript' | 'onTranscriptError' | 'caller' | 'onRound'
>;

function loopSettings({
  planned,
  maxRounds,
  isLocal,
  execute,
  transcript,
  onTranscriptError,
  owner,
  requestId,
  roundsBefore = 0,
  upstream,
  onEvent,
  admitSearch,
}: Omit<RunOptions<DialectName>, 'dialect' | 'exchange' | 'signal'>): LoopSettings {
  return {
    maxRounds,
    caller: defined({ id: owner, requestId, admitSearch }),
    ...(requestId === undefined || onEvent === undefined || planned.kind !== 'loop'
      ? {}
      : {
          onRound: (round) =>
            onEvent(roundEvent(requestId, planned.plan, { ...round, round: round.round + roundsBefore })),
        }),
    ...defined({ prefetch: upstream.offersTools }),
    ...defined({ isLocal, execute, transcript, onTranscriptError }),
  };
}

function roundEvent(requestId: string, plan: Plan, { round, request, memory }: LoopRound<object>): GatewayEvent {
  return {
    kind: 'model-round-start',
    requestId,
    round,
    tokens: round === 1 ? 0 : tokensWithoutTools(request),
    carried: round === 1 ? tokensOf(plan, memory.revealed) : 0,
    ...(round === 1 ? { earlier: measureReach([memory]) } : {}),
  };
}

/** Only rounds after a search are measured: writing out a conversation takes time. */
function tokensWithoutTools(request: object): number {
  return estimateTokens(JSON.stringify({ ...request, tools: undefined }));
}

function tokensOf({ snapshot }: Plan, names: readonly string[]): number {
  if (names.length === 0) return 0;
  const { byTool } = snapshotTokens(snapshot);
  return names.reduce((sum, name) => {
    const tool = snapshot.resolve(name);
    return sum + (tool === undefined ? 0 : (byTool.get(tool) ?? 0));
  }, 0);
}
