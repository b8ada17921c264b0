/** Bytes as they come, for what is too large to hold in memory. */
import type { HttpResponse } from './response.ts';
import type { Bytes } from './bytes.ts';
import type { Deadline } from './deadline.ts';

/** A response whose body is still to come. */
export interface StreamedResponse extends Pick<HttpResponse, 'status' | 'headers'> {
  stream: ReadableStream<Bytes>;
}

/**
 * The body of a response. The clock runs only while the server is waited for, so its reader may take as long as it likes.
 * @param idleMs how long the server may send nothing
 * @param what a phrase for errors: `GET /v1/my/files/…`
 */
export const toStream = (
  body: ReadableStream<Bytes>,
  deadline: Deadline,
  idleMs: number,
  what: string,
): ReadableStream<Bytes> => {
  const reader = body.getReader();
  const read = async (): Promise<Bytes | undefined> => {
    deadline.extend(idleMs);
    try {
      return (await reader.read()).value;
    } catch (error) {
      deadline.close();
      throw deadline.toError(error, what);
    } finally {
      deadline.rest();
    }
  };
  const end = async (): Promise<void> => {
    deadline.close();
    await reader.cancel().catch(() => undefined);
  };
  deadline.rest();
  return new ReadableStream(
    {
      async pull(controller) {
        const chunk = await read();
        if (chunk) return controller.enqueue(chunk);
        deadline.close();
        controller.close();
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  );
};
