import { isUtf8 } from 'node:buffer';
import type { FastifyInstance } from 'fastify';
import { AppError } from '../../errors.ts';

/**
 * The app accepts JSON bodies only. An empty body counts as `{}`, whatever its media type (`curl -d ''` claims to send
 * a form); everything else is parsed as Fastify does it, with prototype poisoning refused.
 */
export const acceptOnlyJson = (app: FastifyInstance): void => {
  const parseJson = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    // Decoding would replace invalid UTF-8, and something other than what was sent would be stored.
    if (!isUtf8(bytes)) return done(new AppError('malformed_json'));
    const text = bytes.toString('utf8');
    if (text.trim() === '') return done(null, {});
    void parseJson(request, text, (error, body) => (error ? done(new AppError('malformed_json')) : done(null, body)));
  });
  app.addContentTypeParser('*', (request, _stream, done) => {
    if (request.headers['content-length'] === '0') done(null, undefined);
    else done(new AppError('unsupported_media_type'));
  });
};
