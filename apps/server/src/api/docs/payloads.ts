/** Schemas for creating tasks: each type with its own payload, so that a compiler knows which belong together. */
import { payloadSchemas, taskCatalogue, type TaskType } from '@berth/contract';
import { toInputSchema, toReference, type Json } from './plain-schema.ts';

export const toPayloadName = (type: TaskType): string => `Payload.${taskCatalogue[type].name}`;
export const toNewTaskName = (type: TaskType): string => `NewTask.${taskCatalogue[type].name}`;

const toPayload = (type: TaskType): Json => ({
  ...toInputSchema(payloadSchemas[type]),
  // A misspelt key is an error, not ignored.
  additionalProperties: false,
  description: `Payload of type ${type}: ${taskCatalogue[type].meaning}`,
});

const toNewTask = (type: TaskType): Json => ({
  type: 'object',
  required: ['type', ...(payloadSchemas[type].required?.length ? ['payload'] : [])],
  properties: {
    type: { type: 'integer', const: type, description: taskCatalogue[type].name },
    payload: toReference(toPayloadName(type)),
  },
});

/** Both of each type, by name. */
export const taskSchemas: Json = Object.fromEntries(
  Object.values(taskCatalogue).flatMap(({ type }) => [
    [toPayloadName(type), toPayload(type)],
    [toNewTaskName(type), toNewTask(type)],
  ]),
);
