/* SPDX-License-Identifier: Apache-2.0 */
/* Empty on purpose: models belong to the graph engine, whose package puts its own file in this
 * place. */
