// The mirror of the person's settings that works with VS Code closed. The extension writes it; nothing in a
// workspace can.
import path from 'node:path';
import * as v from 'valibot';
import type { Ports } from '../ports';
import { readJson, writeJson } from './jsonFile';

const natural = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const positive = v.pipe(v.number(), v.safeInteger(), v.minValue(1));

const defaultIncludeIgnored = ['.env*', '*.local', '*.local.*', 'local.settings.json'];

/** Tokens of the newest messages that a rebuilt context keeps where no checkpoint tells. */
export const defaultKeepTokens = 20_000;

const defaultRetention = { maxCheckpoints: 1000, maxBytes: 2 ** 30 };

/** Each value that is missing or of the wrong type is its default. */
const settingsSchema = v.object({
  /** Absent counts as on for a hook that was called explicitly. */
  enabled: v.fallback(v.optional(v.boolean()), undefined),
  /** Files above this (bytes) are recorded as not covered. */
  maxFileBytes: v.fallback(v.optional(natural, 100 * 2 ** 20), 100 * 2 ** 20),
  retention: v.fallback(
    v.optional(
      v.object({
        maxCheckpoints: v.fallback(
          v.optional(positive, defaultRetention.maxCheckpoints),
          defaultRetention.maxCheckpoints,
        ),
        maxBytes: v.fallback(v.optional(positive, defaultRetention.maxBytes), defaultRetention.maxBytes),
        /** Absent: no age limit. */
        maxAgeDays: v.fallback(v.optional(v.pipe(v.number(), v.minValue(0))), undefined),
      }),
      defaultRetention,
    ),
    defaultRetention,
  ),
  /** Whether texts of observers after a write are handed to the agent. */
  annotations: v.fallback(v.optional(v.boolean(), false), false),
  rebuild: v.fallback(
    v.optional(v.object({ keepTokens: v.fallback(v.optional(natural, defaultKeepTokens), defaultKeepTokens) }), {
      keepTokens: defaultKeepTokens,
    }),
    { keepTokens: defaultKeepTokens },
  ),
  /** Patterns (gitignore syntax) of ignored files that a command sweep copies all the same. */
  includeIgnored: v.fallback(v.optional(v.array(v.string()), defaultIncludeIgnored), defaultIncludeIgnored),
});

export type Settings = v.InferOutput<typeof settingsSchema>;
export type RetentionLimits = Settings['retention'];

const settingsFile = (ports: Ports) => path.join(ports.stateDir, 'settings.json');

/** Never throws; what cannot be read is as by default. */
export function readSettings(ports: Ports): Settings {
  const found = v.safeParse(settingsSchema, readJson(ports, settingsFile(ports)) ?? {});
  return found.success ? found.output : v.parse(settingsSchema, {});
}

/** Throws the system's error where the user state is unwritable. */
export function writeSettings(ports: Ports, settings: Settings): void {
  writeJson(ports, settingsFile(ports), settings);
}
