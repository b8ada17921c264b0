/** Goes through the life of a terminal as the user that it was started as. Arguments: folder, base, programs, isolation, program. */
import { liveThrough, makeBase } from '@berth/testing/wine-terminals';

const [folder = '', prefix = '', programFolder = '', isolation = '', name = ''] = process.argv.slice(2);
const place = { folder, programFolder, environment: { BERTH_AGENT_ISOLATION: isolation } };
const screenshot = await liveThrough(place, await makeBase(folder, prefix), name);
process.stdout.write(`${process.geteuid?.()} ${screenshot.readUInt32BE(16)}x${screenshot.readUInt32BE(20)}\n`);
