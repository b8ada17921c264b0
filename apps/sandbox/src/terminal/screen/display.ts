import { renameSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import type { ImageSize } from '../../window/model.ts';
import { toInteger, toRecord, toText, toTexts } from '../../wire/fields.ts';
import { readJsonLines, writeJsonLine } from '../../wire/json-lines.ts';
import { toDemoForm, type DemoForm } from '../../wire/protocol.ts';

export type DisplayReply = { ok: true; [field: string]: unknown } | { ok: false; error: string };

/** What a person at the screen and keyboard can do. There is no more: state is read from files and journals. */
export interface WindowCommands {
  /** @param chart a chart's file, which then fills the screenshot; null for the whole window. */
  screenshot: (size: ImageSize, chart: string | null) => Promise<DisplayReply>;
  openDemo: (form: DemoForm) => Promise<DisplayReply>;
  setWebRequests: (urls: string[]) => DisplayReply;
  listWebRequests: () => DisplayReply;
  pressKeys: (keys: string) => DisplayReply;
  /** The open dialogs, by their texts. */
  listDialogs: () => DisplayReply;
}

const MAX_REQUEST_BYTES = 64 * 1024;
const MAX_URLS = 64;

const toSize = (fields: Record<string, unknown>): ImageSize | undefined => {
  const width = toInteger(fields.width ?? 1280, 320, 3840);
  const height = toInteger(fields.height ?? 800, 240, 2160);
  return width && height ? { width, height } : undefined;
};

const refuse = (error: string): DisplayReply => ({ ok: false, error });

const isAllowListUrl = (url: string): boolean => /^https?:\/\/[^\s/?#]+$/i.test(url) && URL.canParse(url);

const answer = async (commands: WindowCommands, value: unknown): Promise<DisplayReply> => {
  const fields = toRecord(value) ?? {};
  switch (fields.op) {
    case 'screenshot': {
      const size = toSize(fields);
      return size ? commands.screenshot(size, toText(fields.chart, 255) ?? null) : refuse('invalid_request');
    }
    case 'open_demo': {
      const form = toDemoForm(fields);
      return form ? commands.openDemo(form) : refuse('invalid_request');
    }
    case 'web_request': {
      const urls = toTexts(fields.urls, MAX_URLS, 512);
      return urls?.every(isAllowListUrl) ? commands.setWebRequests(urls) : refuse('invalid_request');
    }
    case 'web_request_list':
      return commands.listWebRequests();
    case 'keys':
      return commands.pressKeys(toText(fields.keys, 32)?.toLowerCase() ?? '');
    case 'dialogs':
      return commands.listDialogs();
    default:
      return refuse('unknown_operation');
  }
};

/** The screen and keyboard: a unix socket that answers one JSON line with one JSON line, in order. */
export const listenOnDisplay = (path: string, commands: WindowCommands): Promise<() => void> => {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    let previous: Promise<void> = Promise.resolve();
    const onMessage = (message: unknown): void => {
      previous = previous
        .then(() => answer(commands, message))
        .catch(() => refuse('failed'))
        .then((reply) => writeJsonLine(socket, reply));
    };
    readJsonLines(socket, { maxLineBytes: MAX_REQUEST_BYTES, onMessage });
  });
  // The folder's lock is ours, so a remaining socket belongs to a killed terminal.
  rmSync(path, { force: true });
  const draft = `${path}~`;
  rmSync(draft, { force: true });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(draft, () => {
      // A bound socket refuses callers until it listens: it gets its name once it does.
      renameSync(draft, path);
      resolve(() => {
        server.close();
        for (const socket of sockets) socket.destroy();
        rmSync(path, { force: true });
      });
    });
  });
};
