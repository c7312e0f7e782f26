/* SPDX-License-Identifier: Apache-2.0 */
/* Compile-time questions about the public headers that read the same in C and C++. */
#ifndef TWIN_ABI_CHECK_H
#define TWIN_ABI_CHECK_H

#include <stddef.h>

#ifdef __cplusplus
#include <type_traits>
#define ABI_ASSERT(condition, row)     static_assert(condition, row)
#define ABI_ALIGN(type)                alignof(type)
#define ABI_SAME(row, type, ...)       ABI_ASSERT((std::is_same<type, __VA_ARGS__>::value), row)
#define ABI_SAME_TYPE(row, type, ...)  ABI_SAME(row, type, __VA_ARGS__)
#define ABI_FUNCTION_TYPE(row, f, ...) ABI_SAME(row, decltype(&f), __VA_ARGS__)
/* The type of a value, as written; qualifiers of the object do not count. */
#define ABI_VALUE_TYPE(row, v, ...)     ABI_SAME(row, std::decay<decltype(v)>::type, __VA_ARGS__)
#define ABI_MEMBER_TYPE(row, s, m, ptr) ABI_SAME(row, decltype(&((s *)0)->m), ptr)
#define ABI_ENUM_TYPE(row, e, integer)  ABI_SAME(row, std::underlying_type<e>::type, integer)
#define ABI_OBJECT(wrong, name, number) ABI_ASSERT(name == number, #name)
#else
#include <stdio.h>
#define ABI_ASSERT(condition, row)      _Static_assert(condition, row)
#define ABI_ALIGN(type)                 _Alignof(type)
#define ABI_SAME(row, v, ...)           ABI_ASSERT(_Generic((v), __VA_ARGS__ : 1, default : 0), row)
#define ABI_SAME_TYPE(row, type, ...)   ABI_SAME(row, (type)0, __VA_ARGS__)
#define ABI_FUNCTION_TYPE(row, f, ...)  ABI_SAME(row, &f, __VA_ARGS__)
#define ABI_VALUE_TYPE(row, v, ...)     ABI_SAME(row, v, __VA_ARGS__)
#define ABI_MEMBER_TYPE(row, s, m, ptr) ABI_SAME(row, &((s *)0)->m, ptr)
#define ABI_ENUM_TYPE(row, e, integer)  ABI_SAME(row, (e)0, integer)
/* An object is not a constant in C: its value is seen when the check runs. */
#define ABI_OBJECT(wrong, name, number) (wrong |= abi_differs(#name, name, number))

static inline int abi_differs(const char *name, long long value, long long recorded)
{
    if (value != recorded)
        printf("%s is %lld, recorded as %lld\n", name, value, recorded);
    return value != recorded;
}
#endif

#endif
