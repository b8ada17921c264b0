import { endProcesses, startTestStack } from '@berth/testing';
import { testMainJob } from './main-job.ts';

testMainJob('sandbox', async () => {
  const stack = await startTestStack();
  return {
    stack,
    close: async () => {
      await stack.close();
      await endProcesses();
    },
  };
});
