import { untilAborted } from '../../clock.ts';
import { runInSlices, type SliceOptions } from './run-in-slices.ts';

export interface SharedBuildOptions<Result> {
  /** Begins the build, with a yield wherever it may be interrupted. */
  readonly steps: () => Generator<void, Result>;
  /** Fetches what the build can start from, before it begins. */
  readonly load?: (() => Promise<void>) | undefined;
  /** How building gives way to other work. */
  readonly slices?: SliceOptions | undefined;
  /** What would be built, where it is there already. @default built when it is first asked for */
  readonly built?: Result | undefined;
}

/**
 * Something that takes long to build and is built when it is first asked for: once for all that wait for it, and kept. A
 * build that failed is not kept, so that the next caller starts another.
 */
export class SharedBuild<Result extends object> {
  readonly #options: SharedBuildOptions<Result>;
  #built: Result | undefined;
  #building: Promise<Result> | undefined;

  constructor(options: SharedBuildOptions<Result>) {
    this.#options = options;
    this.#built = options.built;
  }

  /** What was built, for those who don't want to wait a turn for what is there; undefined before. */
  get built(): Result | undefined {
    return this.#built;
  }

  /** What is built. Once its signal aborts, a caller waits no longer; the build goes on for the others. */
  async wait(signal?: AbortSignal): Promise<Result> {
    signal?.throwIfAborted();
    return this.#built ?? untilAborted(this.#build(), signal);
  }

  #build(): Promise<Result> {
    this.#building ??= this.#loadAndBuild()
      .then((built) => {
        this.#built = built;
        return built;
      })
      .finally(() => {
        this.#building = undefined;
      });
    return this.#building;
  }

  async #loadAndBuild(): Promise<Result> {
    const { load, steps, slices } = this.#options;
    if (load !== undefined) await load();
    return runInSlices(steps(), slices);
  }
}
