/** An ordinary client, which only wants to be served. */
import type { TestClient } from '@berth/testing';

export interface Service {
  requests: number;
  failures: string[];
  /** Milliseconds, in order of length. */
  times: number[];
}

/** Reads and writes as an ordinary client does, one request after the other, so many times. */
export const useService = async (client: TestClient, token: string, requests: number): Promise<Service> => {
  const failures: string[] = [];
  const times: number[] = [];
  for (let number = 0; number < requests; number += 1) {
    const startedAt = performance.now();
    const isWrite = number % 5 === 0;
    const options = isWrite ? { token, body: { name: `Project ${number}` } } : { token };
    const answer = await client.request(isWrite ? 'POST' : 'GET', '/v1/my/projects', options).catch(String);
    times.push(performance.now() - startedAt);
    if (typeof answer === 'string') failures.push(answer);
    else if (answer.status !== 200) failures.push(`${answer.status} ${answer.bytes.toString()}`);
  }
  return { requests, failures, times: times.sort((a, b) => a - b) };
};
