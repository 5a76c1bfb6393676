import type { PackageField } from '../requirements/request.ts';
import type { Language } from '../session/types.ts';

/** What the configured session can do, as far as the tool's definition and its structural checks depend on it. */
export interface Capabilities {
	/** The languages whose fields the tool has, in the order in which they are shown: `languages` of the configuration. */
	readonly visible: readonly Language[];
	/** The languages whose cells this session can evaluate. A visible language that is not among them is refused by the session, with the reason. */
	readonly evaluates: readonly Language[];
	/** The lists of packages that can be prepared on request. When there are none, `requirements` takes the action `get` alone. */
	readonly prepares: readonly PackageField[];
}
