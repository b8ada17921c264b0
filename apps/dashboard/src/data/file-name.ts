/** The name under which a file is sent: the service accepts a path, and keeps its last segment. */
export const toFileName = ({ name }: File): string => name.replaceAll(/[/\\]/g, '_');
