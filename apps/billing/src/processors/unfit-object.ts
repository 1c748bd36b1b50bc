/** A processor's object whose state or contents we do not know: it is set aside, visible, and nothing follows from it. */
export class UnfitObject extends Error {}
