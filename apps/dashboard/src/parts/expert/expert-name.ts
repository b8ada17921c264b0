import { cutText, MAX_EXPERT_CHARACTERS } from '@berth/contract/values';

/** "Trend Follower.ex5" is the expert "Trend Follower"; characters that no file of Windows can have become spaces. */
export const toExpertName = (fileName: string): string =>
  cutText(
    fileName
      .replace(/\.[^.]*$/, '')
      .replace(/[\\/:*?"<>|]+/g, ' ')
      .trim(),
    MAX_EXPERT_CHARACTERS,
  ).replace(/[\s.]+$/, '');
