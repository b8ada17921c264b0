/** How texts name a field: `new_password` → `new password`; a nested one keeps its raw key: `abilities.1`, `payload.file_id`. */
export const toAttribute = (field: string): string => (field.includes('.') ? field : field.replaceAll('_', ' '));
