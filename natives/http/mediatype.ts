/** The media type of a form, as browsers send it unless it has files. */
export const FORM_TYPE = 'application/x-www-form-urlencoded';

/** The media type in a Content-Type field, in lower case and without its parameters. */
export function mediaTypeOf(field: string): string {
  return field.split(';', 1)[0].trim().toLowerCase();
}

/** Whether a body with that media type, null if it has none, is read as form fields. */
export function isFormType(type: string | null): boolean {
  return type === null || type === FORM_TYPE;
}
