import { EventEmitter } from "node:events";
import { readFile, writeFile } from "node:fs/promises";

export type TaskState = "waiting" | "running" | "done" | "failed";

export interface Task<T = unknown> {
  readonly id: string;
  readonly title: string;
  state: TaskState;
  dependsOn: string[];
  run(signal: AbortSignal): Promise<T>;
}

export interface SchedulerOptions {
  parallel?: number;
  onError?: (task: Task, error: Error) => "retry" | "skip" | "stop";
}

const delay = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

export class Scheduler extends EventEmitter {
  private readonly tasks = new Map<string, Task>();
  private readonly results = new Map<string, unknown>();
  private running = 0;

  constructor(private readonly options: SchedulerOptions = {}) {
    super();
  }

  add<T>(task: Task<T>): this {
    if (this.tasks.has(task.id)) {
      throw new Error(`task ${task.id} was added twice`);
    }
    this.tasks.set(task.id, task);
    return this;
  }

  private ready(): Task[] {
    return [...this.tasks.values()].filter(
      (task) =>
        task.state === "waiting" &&
        task.dependsOn.every((id) => this.tasks.get(id)?.state === "done"),
    );
  }

  async start(signal: AbortSignal): Promise<Map<string, unknown>> {
    const limit = this.options.parallel ?? 4;
    while (!signal.aborted) {
      const open = this.ready();
      if (open.length === 0 && this.running === 0) break;
      for (const task of open.slice(0, Math.max(0, limit - this.running))) {
        void this.execute(task, signal);
      }
      await delay(10);
    }
    return this.results;
  }

  private async execute(task: Task, signal: AbortSignal): Promise<void> {
    this.running++;
    task.state = "running";
    this.emit("started", task.id);
    try {
      this.results.set(task.id, await task.run(signal));
      task.state = "done";
    } catch (cause) {
      const error = cause instanceof Error ? cause : new Error(String(cause));
      const verdict = this.options.onError?.(task, error) ?? "stop";
      task.state = verdict === "retry" ? "waiting" : "failed";
      if (verdict === "stop") this.emit("error", error);
    } finally {
      this.running--;
      this.emit("finished", task.id, task.state);
    }
  }
}

export async function countWords(path: string): Promise<Record<string, number>> {
  const text = await readFile(path, "utf8");
  const counts: Record<string, number> = {};
  for (const word of text.toLowerCase().match(/[a-z']+/g) ?? []) {
    counts[word] = (counts[word] ?? 0) + 1;
  }
  await writeFile(`${path}.json`, JSON.stringify(counts, null, 2));
  return Object.fromEntries(Object.entries(counts).sort(([, a], [, b]) => b - a).slice(0, 100));
}
