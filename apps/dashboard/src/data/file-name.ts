/** The name under which a file is sent: the service takes a path, of which it keeps the last part. */
export const toFileName = ({ name }: File): string => name.replaceAll(/[/\\]/g, '_');
