// The readers of agents' transcripts, by name. Not loaded by a hook process.
import type { TranscriptReader } from '../core/conversation/transcript';
import { claudeCodeTranscripts } from './claude-code/transcript';
import { clineTranscripts } from './cline/transcript';
import { codexTranscripts } from './codex/transcript';
import { copilotCliTranscripts } from './copilot-cli/transcript';
import { cursorTranscripts } from './cursor/transcript';
import { geminiTranscripts } from './gemini/transcript';
import { opencodeTranscripts } from './opencode/transcript';
import { piTranscripts } from './pi/transcript';
import { qwenTranscripts } from './qwen/transcript';
import { vscodeTranscripts } from './vscode/transcript';
import { windsurfTranscripts } from './windsurf/transcript';

export const transcriptReaders: readonly TranscriptReader[] = [
  vscodeTranscripts,
  claudeCodeTranscripts,
  codexTranscripts,
  geminiTranscripts,
  qwenTranscripts,
  opencodeTranscripts,
  piTranscripts,
  clineTranscripts,
  copilotCliTranscripts,
  cursorTranscripts,
  windsurfTranscripts,
];

export const transcriptReader = (agent: string): TranscriptReader | undefined =>
  transcriptReaders.find((reader) => reader.agent === agent);
